import { basename, join } from 'node:path';
import { listAbandoned } from '../process/index.ts';
import { parseSidecar, storeLayout, type Sidecar } from '../refs/index.ts';
import { discardStore } from './open-store.ts';
import { readStoreBranch } from './read-store-ref.ts';
import { scratchKinds } from './scratch.ts';
import { namesIn, readIfPresent, removeTree } from './trusted-files.ts';

/**
 * Removes what earlier daemons left in the run directory: half-written records, scratch directories, and stores whose
 * item there is no more. A store that holds commits which were never published stays. Gives what was kept or could not
 * be removed, for people. Precondition: nothing of this daemon works in the run directory yet.
 */
export async function sweepStores(runDir: string, itemIds: readonly string[]): Promise<readonly string[]> {
  const stores = join(runDir, 'sandbox-git');
  const scratch = scratchKinds.map((kind) => join(runDir, kind));
  for (const dir of [stores, ...scratch])
    for (const path of listAbandoned(dir, { starting: true })) await removeTree(path);
  const problems: string[] = [];
  for (const name of await namesIn(stores)) {
    if (!name.endsWith('.json')) continue;
    const sidecar = parseSidecar((await readIfPresent(join(stores, name))) ?? '');
    if (sidecar === null || itemIds.includes(sidecar.work_item_id)) continue;
    problems.push(...(await sweepStore(runDir, name, sidecar)));
  }
  return problems;
}

async function sweepStore(runDir: string, name: string, sidecar: Sidecar): Promise<readonly string[]> {
  const layout = storeLayout(runDir, sidecar.worktree_gitdir);
  // A record that names another place is none of Kraft's making.
  if (basename(layout.sidecar) !== name) return [];
  const stored = sidecar.branch === null ? null : await readStoreBranch(layout.dir, sidecar.branch);
  if (stored !== null && stored !== sidecar.synced) {
    const { branch, work_item_id: itemId } = sidecar;
    return [
      `${layout.dir} was kept: it holds commits of ${branch} that were never published, and no item ${itemId} is known`,
    ];
  }
  await discardStore(layout);
  return [];
}
