import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { randomHex16 } from '../base/index.ts';
import { makePrivateDir, removeTree } from './trusted-files.ts';

const leftOverAfterMs = 24 * 3600 * 1000;

/** Lends `work` a new private directory `run/<kind>/<random>` and removes it; what a crash left a day ago goes too. */
export async function withScratchDir<T>(
  runDir: string,
  kind: 'git-view' | 'git-quarantine',
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const parent = join(runDir, kind);
  const dir = join(parent, randomHex16());
  try {
    await makePrivateDir(dir);
    await sweep(parent);
    return await work(dir);
  } finally {
    await removeTree(dir);
  }
}

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const found = await stat(join(parent, name)).catch(() => null);
    if (found !== null && found.mtimeMs < Date.now() - leftOverAfterMs) await removeTree(join(parent, name));
  }
}
