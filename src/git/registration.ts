import { dirname, join, resolve } from 'node:path';
import { namesIn, readIfPresent } from './trusted-files.ts';

/** A linked worktree as its repository has it registered. */
export interface Registration {
  /** `<common>/worktrees/<name>`. */
  readonly adminDir: string;
  /** Where the working tree should lie. */
  readonly path: string;
}

/** Every registration of the repository. An unreadable directory is an error, never "none" (PF-G16). */
export async function listRegistrations(commonDir: string): Promise<readonly Registration[]> {
  const dir = join(commonDir, 'worktrees');
  const found: Registration[] = [];
  for (const name of await namesIn(dir)) {
    const adminDir = join(dir, name);
    const gitFile = (await readIfPresent(join(adminDir, 'gitdir')))?.trim();
    if (gitFile !== undefined && gitFile !== '') found.push({ adminDir, path: dirname(resolve(adminDir, gitFile)) });
  }
  return found;
}

/** The admin directory registered for a working tree, or null. */
export async function findAdminDir(commonDir: string, path: string): Promise<string | null> {
  const found = await listRegistrations(commonDir);
  return found.find((registration) => registration.path === path)?.adminDir ?? null;
}

/** Where else than in `adminDir` a branch is checked out, or null. Reads the real HEAD files alone. */
export async function checkedOutElsewhere(
  commonDir: string,
  branch: string,
  adminDir: string | null,
): Promise<string | null> {
  const head = `ref: refs/heads/${branch}`;
  if ((await readIfPresent(join(commonDir, 'HEAD')))?.trim() === head) return dirname(commonDir);
  for (const registration of await listRegistrations(commonDir)) {
    if (registration.adminDir === adminDir) continue;
    if ((await readIfPresent(join(registration.adminDir, 'HEAD')))?.trim() === head) return registration.path;
  }
  return null;
}
