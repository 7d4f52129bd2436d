import {
  branchRef,
  decidePublish,
  explainConflict,
  incomingRef,
  storeLayout,
  unsyncedRef,
  type StoreLayout,
} from '../refs/index.ts';
import type { PublishOutcome, Repository, Worktree } from './git.ts';
import { publishLfs } from './lfs.ts';
import { readSidecar, writeSidecar } from './sidecar-file.ts';
import { bringOver } from './quarantine.ts';
import { readStoreBranch } from './read-store-ref.ts';
import { checkedOutElsewhere } from './registration.ts';
import { commitOf } from './resolve-base.ts';
import { atGitDir, explainEnd, type GitRunner } from './run-git.ts';

export interface PublishOptions {
  readonly repository: Repository;
  readonly worktree: Worktree;
  readonly itemId: string;
  readonly sessionId: string;
}

interface Move {
  readonly to: string;
  readonly synced: string | null;
  readonly layout: StoreLayout;
}

/**
 * Carries the item's branch, and nothing else, from the store into the person's repository (SI 2.4, with the objects
 * brought over through a check of each). Precondition: the store's lock is held.
 */
export async function publishBranch(git: GitRunner, runDir: string, options: PublishOptions): Promise<PublishOutcome> {
  const { worktree, itemId } = options;
  const layout = storeLayout(runDir, worktree.adminDir);
  const sidecar = await readSidecar(layout);
  if (sidecar === null || sidecar.work_item_id !== itemId) return { kind: 'unchanged' };
  const decision = decidePublish({
    recordedBranch: sidecar.branch,
    branch: worktree.branch,
    stored: sidecar.branch === null ? null : await readStoreBranch(layout.dir, worktree.branch),
    synced: sidecar.synced,
  });
  if (decision.kind === 'unchanged') return decision;
  if (decision.kind === 'refuse') return { kind: 'refused', reason: decision.reason, keptAs: null };
  const move: Move = { to: decision.to, synced: sidecar.synced, layout };
  const refusal = await bringOver(git, runDir, { ...options, storeDir: layout.dir, commit: move.to });
  if (refusal !== null) return { kind: 'refused', reason: refusal, keptAs: null };
  await publishLfs(git, options.repository, layout.dir);
  const conflict = await moveBranch(git, options, move);
  if (conflict !== null)
    return { kind: 'refused', reason: conflict, keptAs: await keepUnsynced(git, options, move.to) };
  await writeSidecar(layout, { ...sidecar, synced: move.to });
  await followWithIndex(git, worktree, move);
  return { kind: 'published', from: move.synced, to: move.to };
}

/** Null when the branch has moved, else why not. */
async function moveBranch(git: GitRunner, options: PublishOptions, move: Move): Promise<string | null> {
  const { repository, worktree, itemId } = options;
  const { branch } = worktree;
  const elsewhere = await checkedOutElsewhere(repository.commonDir, branch, worktree.adminDir);
  if (elsewhere !== null) return `the branch ${branch} is checked out at ${elsewhere}`;
  const change =
    move.synced === null
      ? `create ${branchRef(branch)} ${move.to}`
      : `update ${branchRef(branch)} ${move.to} ${move.synced}`;
  const done = await git.result({
    args: ['update-ref', '--no-deref', '-m', `kraft: session ${options.sessionId}`, '--stdin'],
    action: 'move the branch',
    place: atGitDir(repository.commonDir),
    input: `start\n${change}\ndelete ${incomingRef(itemId)}\nprepare\ncommit\n`,
    writes: true,
  });
  if (done.exitCode === 0) return null;
  const current = await commitOf(git, repository, branchRef(branch));
  return explainConflict({ branch, current, synced: move.synced, gitSaid: explainEnd(done) });
}

/** Keeps a commit that could not be published; gives the ref. An earlier one that was kept is never replaced. */
async function keepUnsynced(git: GitRunner, options: PublishOptions, commit: string): Promise<string> {
  const { repository, worktree } = options;
  const first = unsyncedRef(worktree.branch);
  const taken = await commitOf(git, repository, first);
  const ref = taken === null || taken === commit ? first : `${first}-${commit.slice(0, 12)}`;
  await git.text({
    args: ['update-ref', '--stdin'],
    action: `keep the commit as ${ref}`,
    place: atGitDir(repository.commonDir),
    input: `start\nupdate ${ref} ${commit}\ndelete ${incomingRef(options.itemId)}\nprepare\ncommit\n`,
    writes: true,
  });
  return ref;
}

// The worktree's own index, which no worker sees, follows the branch, so that a person's `git status` there shows what
// really differs. Entries staged by the person stay; where they are in the way, the index is left as it is.
async function followWithIndex(git: GitRunner, worktree: Worktree, move: Move): Promise<void> {
  if (move.synced === null) return;
  const done = await git.result({
    args: ['read-tree', '-i', '-m', move.synced, move.to],
    action: 'refresh the index of the worktree',
    place: { cwd: worktree.path, gitDir: worktree.adminDir, workTree: worktree.path },
    writes: true,
  });
  if (done.exitCode !== 0) git.log.warn(`the index of ${worktree.path} was left as it is: ${explainEnd(done)}`);
}
