import { realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  baseRef,
  branchPrefix,
  branchRef,
  filterPins,
  incomingRef,
  parseFilterNames,
  type Pin,
} from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import type { Repository, Worktree } from './git.ts';
import { checkedOutElsewhere, findAdminDir } from './registration.ts';
import { commitOf } from './resolve-base.ts';
import { atGitDir, longTimeoutMs, type GitRunner } from './run-git.ts';
import type { ConfigScope } from './environment.ts';
import { kindOf, makePrivateDir, removeTree } from './trusted-files.ts';

/** Pins that switch off every filter driver that the configuration names, for calls that read or write working files. */
export async function readFilterPins(git: GitRunner, commonDir: string, scope: ConfigScope): Promise<readonly Pin[]> {
  const done = await git.result({
    args: ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'],
    action: 'read the filter drivers',
    place: atGitDir(commonDir),
    scope,
  });
  // LFS is pinned without being named too: an attribute of a commit may name it while the configuration comes later.
  return filterPins([...new Set(['lfs', ...parseFilterNames(done.stdout)])]);
}

/** Makes branch and worktree at `commit`. Nothing is left when it throws. Errors: WORKTREE_EXISTS, BRANCH_EXISTS, GIT_FAILED. */
export async function createWorktree(
  git: GitRunner,
  repository: Repository,
  options: { readonly path: string; readonly branch: string; readonly commit: string; readonly base: string },
): Promise<Worktree> {
  const { branch, commit, base } = options;
  await makePrivateDir(dirname(options.path));
  const path = join(await realpath(dirname(options.path)), basename(options.path));
  if ((await kindOf(path)) !== null) throw gitErrors.create('WORKTREE_EXISTS', { path });
  if ((await commitOf(git, repository, branchRef(branch))) !== null)
    throw gitErrors.create('BRANCH_EXISTS', { branch });
  try {
    await git.text({
      // From a commit id, so that no upstream is recorded.
      args: ['worktree', 'add', '--quiet', '--no-track', '-b', branch, path, commit],
      action: 'make the worktree',
      place: atGitDir(repository.commonDir),
      scope: 'person',
      pins: await readFilterPins(git, repository.commonDir, 'person'),
      writes: true,
      timeoutMs: longTimeoutMs,
    });
    const adminDir = await findAdminDir(repository.commonDir, path);
    if (adminDir === null) throw gitErrors.create('WORKTREE_LOST', { path, why: 'git did not register it' });
    return { path, adminDir, branch, baseCommit: commit, base };
  } catch (error) {
    await removeRegistration(repository.commonDir, path);
    if ((await commitOf(git, repository, branchRef(branch))) === commit)
      await deleteRef(git, repository, branchRef(branch));
    throw error;
  }
}

/** Removes a working tree and exactly its own registration. Idempotent; other worktrees are never pruned. */
export async function removeRegistration(commonDir: string, path: string): Promise<void> {
  const adminDir = await findAdminDir(commonDir, path);
  await removeTree(path);
  if (adminDir !== null) await removeTree(adminDir);
  // As git does: the directory goes with its last entry, and stays while it has any.
  await rmdir(join(commonDir, 'worktrees')).catch(() => undefined);
}

/**
 * Removes the item's branch unless something would be lost with it: it stays when it is checked out elsewhere or holds
 * commits that no other ref reaches. The base ref and a left-over incoming ref go as told.
 */
export async function removeItemRefs(
  git: GitRunner,
  repository: Repository,
  options: {
    readonly branch: string;
    readonly removeBranch: boolean;
    readonly itemId: string;
    readonly removeBase: boolean;
  },
): Promise<{ readonly branchRemoved: boolean }> {
  const { branch, itemId } = options;
  const branchRemoved = options.removeBranch && (await isExpendable(git, repository, branch, itemId));
  if (branchRemoved) await deleteRef(git, repository, branchRef(branch));
  if (options.removeBase) {
    await deleteRef(git, repository, incomingRef(itemId));
    await deleteRef(git, repository, baseRef(itemId));
  }
  return { branchRemoved };
}

async function isExpendable(git: GitRunner, repository: Repository, branch: string, itemId: string): Promise<boolean> {
  if ((await commitOf(git, repository, branchRef(branch))) === null) return false;
  if ((await checkedOutElsewhere(repository.commonDir, branch, null)) !== null) return false;
  return (await countOwnCommits(git, repository, { branch, itemId, max: 1 })) === 0;
}

/**
 * Commits of the branch that no other branch, tag or remote has, counted up to `max`; 0 for a branch that does not exist.
 * Refs that Kraft keeps for itself hold nothing: they go with their items. What the item started from is not its own.
 */
export async function countOwnCommits(
  git: GitRunner,
  repository: Repository,
  { branch, itemId, max }: { readonly branch: string; readonly itemId: string; readonly max: number },
): Promise<number> {
  const tip = await commitOf(git, repository, branchRef(branch));
  if (tip === null) return 0;
  const base = await commitOf(git, repository, baseRef(itemId));
  const counted = await git.text({
    args: [
      ...['rev-list', '--count', `--max-count=${max}`, tip, '--not', ...(base === null ? [] : [base])],
      ...[`--exclude=${branchRef(branch)}`, '--exclude=refs/kraft/*', '--glob=refs/*'],
    ],
    action: 'look whether the branch holds commits of its own',
    place: atGitDir(repository.commonDir),
    timeoutMs: longTimeoutMs,
  });
  return Number(counted.trim());
}

/** Branches that Kraft made and that are still there. */
export async function listItemBranches(git: GitRunner, repository: Repository): Promise<readonly string[]> {
  const listed = await git.text({
    args: ['for-each-ref', '--format=%(refname)', branchRef(branchPrefix)],
    action: 'list the branches of items',
    place: atGitDir(repository.commonDir),
  });
  const start = branchRef('');
  return listed.split('\n').flatMap((ref) => (ref.startsWith(start) ? [ref.slice(start.length)] : []));
}

async function deleteRef(git: GitRunner, repository: Repository, ref: string): Promise<void> {
  await git.text({
    args: ['update-ref', '--no-deref', '-d', ref],
    action: `remove ${ref}`,
    place: atGitDir(repository.commonDir),
    writes: true,
  });
}
