import { asKraftError } from '../base/index.ts';
import type { Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import type { WalkPorts } from './ports.ts';
import { worktreePath } from './prepare.ts';
import { openRepository } from './ready.ts';

/**
 * Removes what an item has on the machine, in the order of SI 1.17: ref store, worktree, branch, sandbox HOME. The branch
 * stays where commits would be lost with it, as git judges. Preconditions: nothing of the item runs. Idempotent.
 * Errors: ABANDON_FAILED.
 */
export async function removeItemTraces(ports: WalkPorts, item: Item): Promise<{ readonly branchRemoved: boolean }> {
  try {
    const { branchRemoved } = await removeGitTraces(ports, item);
    await ports.launcher.releaseItem(item.id);
    return { branchRemoved };
  } catch (error) {
    const known = asKraftError(error);
    throw walkErrors.create('ABANDON_FAILED', { id: item.id, why: `${known.message} ${known.remedy}` }, error);
  }
}

async function removeGitTraces(ports: WalkPorts, item: Item): Promise<{ readonly branchRemoved: boolean }> {
  // Never started: nothing was made, and the repository may be gone.
  if (!item.started) return { branchRemoved: false };
  if (item.adminDir !== null) await ports.git.discardRefStore({ worktreeAdminDir: item.adminDir });
  const repository = await openRepository(ports, { path: item.repo });
  return ports.git.removeWorktree(repository, {
    path: worktreePath(ports, item.id),
    branch: item.branch,
    removeBranch: true,
    itemId: item.id,
    removeBase: true,
  });
}
