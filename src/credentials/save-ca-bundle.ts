import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryName } from '../process/index.ts';

/**
 * Writes an image's bundle and gives its path. Whole or not at all, and only when the content changed, so that a
 * running container keeps the file that it has mounted. Readable by all: a container may work under another uid.
 */
export function saveCaBundle(dir: string, name: string, content: string): string {
  const path = join(dir, `${name}.pem`);
  if (readOrNull(path) === content) return path;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${temporaryName()}.tmp`;
  writeFileSync(draft, content, { mode: 0o644 });
  // Kraft's umask is 077, which would keep the file from a container that works under another uid.
  chmodSync(draft, 0o644);
  renameSync(draft, path);
  return path;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
