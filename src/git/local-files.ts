import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './git.ts';
import { findAdminDir } from './registration.ts';
import type { GitRunner } from './run-git.ts';
import { kindOf } from './trusted-files.ts';

export interface LocalFileOutcome {
  readonly path: string;
  readonly outcome: 'copied' | 'missing' | 'refused';
  readonly why: string;
}

/** Copies `local_files` from the main working tree into a fresh worktree: only what the worktree ignores (CC 1.3). */
export async function copyLocalFiles(
  git: GitRunner,
  repository: Repository,
  worktree: string,
  files: readonly string[],
): Promise<readonly LocalFileOutcome[]> {
  const adminDir = await findAdminDir(repository.commonDir, worktree);
  const outcomes: LocalFileOutcome[] = [];
  for (const path of files) {
    const refusal = adminDir === null ? 'the worktree is not registered' : null;
    const why = refusal ?? (await copyOne(git, { root: repository.root, worktree, adminDir: adminDir ?? '', path }));
    const outcome = why === '' ? 'copied' : why === missing ? 'missing' : 'refused';
    outcomes.push({ path, outcome, why });
  }
  return outcomes;
}

const missing = 'there is no such file in the repository';

interface LocalFile {
  readonly root: string;
  readonly worktree: string;
  readonly adminDir: string;
  readonly path: string;
}

/** Empty when copied, else why not. */
async function copyOne(git: GitRunner, file: LocalFile): Promise<string> {
  const parts = file.path.split('/');
  if (
    file.path.startsWith('/') ||
    parts.some((part) => part === '' || part === '.' || part === '..' || part === '.git')
  ) {
    return 'it is not a plain path inside the repository';
  }
  const source = await stat(join(file.root, file.path)).catch(() => null);
  if (source === null) return missing;
  if (!source.isFile()) return 'it is not a regular file';
  if (!(await isIgnored(git, file))) return 'the worktree does not ignore it, so it could be committed';
  const blocked = await makeParents(git.umask, file.worktree, parts.slice(0, -1));
  if (blocked !== null) return `${blocked} in the worktree is no directory`;
  const target = join(file.worktree, file.path);
  if ((await kindOf(target)) !== null) return 'it exists in the worktree already';
  await copyFile(join(file.root, file.path), target, constants.COPYFILE_EXCL);
  await chmod(target, source.mode & 0o777);
  return '';
}

async function isIgnored(git: GitRunner, file: LocalFile): Promise<boolean> {
  const done = await git.result({
    args: ['check-ignore', '--quiet', '--', file.path],
    action: `look whether ${file.path} is ignored`,
    place: { cwd: file.worktree, gitDir: file.adminDir, workTree: file.worktree },
  });
  return done.exitCode === 0;
}

/** Makes the directories above a file, never through a link; gives the component that is in the way, or null. */
async function makeParents(umask: number, root: string, parts: readonly string[]): Promise<string | null> {
  let at = '';
  for (const part of parts) {
    at = at === '' ? part : join(at, part);
    const path = join(root, at);
    const found = await lstat(path).catch(() => null);
    if (found === null) {
      await mkdir(path);
      await chmod(path, 0o777 & ~umask);
    } else if (!found.isDirectory()) {
      return at;
    }
  }
  return null;
}
