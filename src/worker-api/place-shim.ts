import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex16 } from '../base/index.ts';

/**
 * Puts the shim into a folder of its own under the run directory, and answers that folder: what containers mount. Its name
 * carries the shim's content, so that another version of Kraft leaves running sessions theirs. Idempotent; errors: those
 * of the file system.
 */
export async function placeShim(runDir: string): Promise<string> {
  const shim = await readFile(new URL('./shim/kraft', import.meta.url));
  const dir = join(runDir, `shim-${createHash('sha256').update(shim).digest('hex').slice(0, 16)}`);
  // Whoever a container runs as has to read it; the run directory around it stays closed.
  await mkdir(dir, { recursive: true });
  await chmod(dir, 0o755);
  const file = join(dir, 'kraft');
  const placed = await readFile(file).catch(() => null);
  if (placed === null || !placed.equals(shim)) {
    const draft = join(runDir, `.shim-${randomHex16()}`);
    await writeFile(draft, shim, { flag: 'wx' });
    await chmod(draft, 0o755);
    await rename(draft, file);
  }
  await chmod(file, 0o755);
  return dir;
}
