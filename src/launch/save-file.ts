import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryName } from '../process/index.ts';
import { launchErrors } from './errors.ts';

/** Writes a file of Kraft's own whole or not at all, and only when its content changed: what is mounted stays mounted. */
export function saveFile(path: string, content: string, mode: number): string {
  if (readOrNull(path) === content) return path;
  makeDirectory(dirname(path), 0o700);
  return replaceFile(path, content, mode);
}

/** Writes a file anew, whole or not at all; whatever stood at its path, a link too, is replaced and not followed. */
export function replaceFile(path: string, content: string, mode: number): string {
  const draft = `${path}.${temporaryName()}.tmp`;
  writeFileSync(draft, content, { mode });
  chmodSync(draft, mode);
  renameSync(draft, path);
  return path;
}

/** Makes a directory with exactly this mode, whatever the umask; a link or a file in its place is refused. */
export function makeDirectory(path: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!lstatSync(path).isDirectory())
      throw launchErrors.create('STATE_PATH_REFUSED', { path, why: 'it is no directory' }, error);
  }
  chmodSync(path, mode);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
