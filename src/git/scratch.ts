import { join } from 'node:path';
import { listAbandoned, temporaryName } from '../process/index.ts';
import { makePrivateDir, removeTree } from './trusted-files.ts';

/** Folders of the run directory in which scratch directories lie. */
export const scratchKinds = ['git-view', 'git-quarantine'] as const;

/** Lends `work` a new private directory `run/<kind>/<random>` and removes it; what a crash left goes too. */
export async function withScratchDir<T>(
  runDir: string,
  kind: (typeof scratchKinds)[number],
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const parent = join(runDir, kind);
  const dir = join(parent, temporaryName());
  try {
    await makePrivateDir(dir);
    for (const left of listAbandoned(parent, { starting: false })) await removeTree(left);
    return await work(dir);
  } finally {
    await removeTree(dir);
  }
}
