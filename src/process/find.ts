import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';

/** The absolute path of a program on `path` (a PATH value), or null. Neither relative PATH entries nor names with a path in them are followed. */
export function findProgram(name: string, path: string): string | null {
  if (isAbsolute(name)) return isExecutable(name) ? name : null;
  if (basename(name) !== name) return null;
  for (const dir of path.split(delimiter)) {
    if (isAbsolute(dir) && isExecutable(join(dir, name))) return join(dir, name);
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
