import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { asKraftError, hasCode, safeLine, type KraftError } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import type { Repository } from '../git/index.ts';
import type { Item } from '../items/index.ts';
import { worktreeOf } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import { worktreePath } from './prepare.ts';

/** What lies in an item's worktree alone. */
export interface Losses {
  readonly paths: readonly string[];
  /** Why it cannot be told; null when it can. */
  readonly why: string | null;
}

/** What became of the branch. */
export interface Removed {
  readonly branchRemoved: boolean;
  /** Null: the repository is gone. */
  readonly keptBranch: boolean | null;
}

/**
 * The person's repository; null when it was moved or removed. Whatever else keeps it from being read is thrown: unknown is
 * not gone.
 */
export async function findRepository(ports: Pick<WalkPorts, 'git'>, path: string): Promise<Repository | null> {
  const { repository, problem } = await ports.git.probeRepository(path).catch(goneOrThrow);
  if (repository !== null) return repository;
  if (problem === null || (await isGone(problem, path))) return null;
  throw problem;
}

function goneOrThrow(error: unknown): { readonly repository: null; readonly problem: KraftError } {
  if (hasCode(error, 'REPOSITORY_MISSING')) return { repository: null, problem: asKraftError(error) };
  throw error;
}

async function isGone(problem: KraftError, path: string): Promise<boolean> {
  if (hasCode(problem, 'REPOSITORY_MISSING')) return true;
  if (!hasCode(problem, 'NOT_A_REPOSITORY')) return false;
  return access(join(path, '.git')).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}

/** What would be lost with the worktree of an item; nothing for one that has none. */
export async function findLosses(ports: WalkPorts, item: Item, repository: Repository | null): Promise<Losses> {
  const worktree = worktreeOf(item);
  if (worktree === null || !(await exists(worktree.path))) return { paths: [], why: null };
  if (repository === null) return { paths: [], why: `its repository ${item.repo} is gone.` };
  try {
    const planted = await ports.git.findPlanted({ repository, worktree });
    if (planted.length > 0) return { paths: [], why: `there are other repositories in it: ${planted.join(', ')}.` };
    return { paths: await ports.git.listUncommitted({ repository, worktree }), why: null };
  } catch (error) {
    return { paths: [], why: safeLine(asKraftError(error).message) };
  }
}

/**
 * Carries over what the item's ref store still holds of its branch, as after a session, so that nothing committed goes
 * with it. What cannot be carried over is told; git keeps it where it can.
 */
export async function carryOver(
  ports: WalkPorts,
  item: Item,
  repository: Repository | null,
): Promise<readonly KraftEvent[]> {
  const worktree = worktreeOf(item);
  if (repository === null || worktree === null || !item.prepared) return [];
  const { branch } = worktree;
  try {
    const outcome = await ports.git.publish({ repository, worktree, itemId: item.id, sessionId: item.id });
    if (outcome.kind === 'unchanged') return [];
    if (outcome.kind === 'published') {
      const payload = { session_id: item.id, branch, from: outcome.from, to: outcome.to };
      return [{ type: 'sandbox_branch_synced', payload }];
    }
    return [notSynced(item, branch, outcome)];
  } catch (error) {
    // A worker may have spoilt its store; that must not keep its item here for ever.
    const { message } = asKraftError(error);
    ports.log.warn(`${item.id}: what its ref store held could not be carried over: ${message}`);
    return [notSynced(item, branch, { reason: message, keptAs: null })];
  }
}

function notSynced(
  item: Item,
  branch: string,
  { reason, keptAs }: { readonly reason: string; readonly keptAs: string | null },
): KraftEvent {
  return {
    type: 'sandbox_branch_not_synced',
    payload: { session_id: item.id, branch, reason, kept_as: keptAs },
  };
}

/**
 * Removes what an item has on the machine, in the order of SI 1.17: ref store, worktree, branch, sandbox HOME. The branch
 * stays where commits would be lost with it, as git judges. Preconditions: nothing of the item runs. Idempotent.
 */
export async function removeTraces(ports: WalkPorts, item: Item, repository: Repository | null): Promise<Removed> {
  if (item.adminDir !== null) await ports.git.discardRefStore({ worktreeAdminDir: item.adminDir });
  const path = worktreePath(ports, item.id);
  const removed = await removeGitTraces(ports, item, { path, repository });
  await ports.launcher.releaseItem(item.id);
  return removed;
}

async function removeGitTraces(
  ports: WalkPorts,
  item: Item,
  { path, repository }: { readonly path: string; readonly repository: Repository | null },
): Promise<Removed> {
  const { id: itemId, branch } = item;
  if (repository === null) {
    await ports.git.removeLostWorktree({ path, itemId });
    return { branchRemoved: false, keptBranch: null };
  }
  const { branchRemoved } = await ports.git.removeWorktree(repository, {
    path,
    branch,
    removeBranch: true,
    itemId,
    removeBase: true,
  });
  return { branchRemoved, keptBranch: (await ports.git.branchCommit(repository, branch)) !== null };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  );
}
