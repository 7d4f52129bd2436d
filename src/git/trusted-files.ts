import { chmod, lstat, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryName } from '../process/index.ts';

/** Whether an error of the file system says that something is not there. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The text of a file that Kraft or the person wrote; null when absent. Other failures are thrown: unknown is not absent. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** The names in a directory; none when it is absent. Other failures are thrown. */
export async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** What `path` itself is, without following a link; null when absent. Other failures are thrown. */
export async function kindOf(path: string): Promise<'file' | 'dir' | 'other' | null> {
  try {
    const stat = await lstat(path);
    return stat.isFile() ? 'file' : stat.isDirectory() ? 'dir' : 'other';
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Replaces a file of Kraft's own (mode 0600) so that a reader sees the old or the new text, also after a power cut. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${temporaryName()}.tmp`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const parent = await open(dirname(path), 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

export async function makePrivateDir(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Removes a tree without following a link in it. Directories whose modes a worker took away are opened first.
 * Precondition: nothing that could still write in it is alive.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await openModes(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openModes(path: string): Promise<void> {
  if ((await kindOf(path)) !== 'dir') return;
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await openModes(join(path, entry.name));
  }
}
