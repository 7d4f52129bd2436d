import { mkdirSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import type { Log } from '../base/index.ts';
import { markStarted } from '../process/index.ts';
import { storeLayout, type AlternatePaths } from '../refs/index.ts';
import type { Git, Repository } from './git.ts';
import { branchDiff, branchLog, listTree, readBlob } from './history.ts';
import { changedPaths, checkWorktree, findPlanted, listUncommitted, listUntracked } from './inspect.ts';
import { copyLocalFiles } from './local-files.ts';
import { openKeyedLock, type KeyedLock } from './lock.ts';
import { discardStore, listStores, openStore, storesOfItem, type StorePlace } from './open-store.ts';
import { probeRepository } from './probe-repository.ts';
import { publishBranch } from './publish.ts';
import { findAdminDir } from './registration.ts';
import { commitOf, resolveBase } from './resolve-base.ts';
import { openRunner, type GitRunner } from './run-git.ts';
import { sweepStores } from './sweep.ts';
import { removeTree } from './trusted-files.ts';
import { countOwnCommits, createWorktree, listItemBranches, removeItemRefs, removeRegistration } from './worktree.ts';

/** More commits than that are not counted. */
const ownCommitsMax = 100_000;

export interface OpenGitOptions {
  /** Kraft's run directory; made when absent. */
  readonly runDir: string;
  /** The daemon's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The person's umask: what git writes into their repository and worktrees follows it. */
  readonly umask: number;
  /** Where a container finds the person's objects and LFS objects (`containerPaths` of `runtime`). */
  readonly containerPaths: AlternatePaths;
  readonly log: Log;
}

/** Opens git on the host. Starts nothing; the version of git is checked by the first call. */
export function openGit(options: OpenGitOptions): Git {
  mkdirSync(options.runDir, { recursive: true, mode: 0o700 });
  const runDir = realpathSync(options.runDir);
  const { alternateObjects, alternateLfs } = options.containerPaths;
  const place: StorePlace = { runDir, paths: { alternateObjects, alternateLfs } };
  const git = openRunner({ ...options, mark: markStarted(runDir) });
  const lock = openKeyedLock();
  return {
    probeRepository: (path) => probeRepository(git, path, options.env),
    listTree: (repository, commit) => listTree(git, repository, commit),
    readBlob: (repository, commit, path, maxBytes) => readBlob(git, repository, { commit, path, maxBytes }),
    // One at a time in each repository: git's own locks would make the second call fail rather than wait.
    resolveBase: (repository, base) => lock.hold(repository.commonDir, () => resolveBase(git, repository, base)),
    createWorktree: (repository, worktree) =>
      lock.hold(repository.commonDir, () => createWorktree(git, repository, worktree)),
    removeWorktree: (repository, removal) => removeWorktree(git, { runDir, lock }, repository, removal),
    removeLostWorktree: (lost) => removeLostWorktree({ runDir, lock }, lost),
    countOwnCommits: (repository, branch) => countOwnCommits(git, repository, { ...branch, max: ownCommitsMax }),
    listItemBranches: (repository) => listItemBranches(git, repository),
    listRefStores: () => listStores(runDir),
    branchCommit: (repository, branch) => commitOf(git, repository, `refs/heads/${branch}`),
    copyLocalFiles: (repository, worktree, files) => copyLocalFiles(git, repository, worktree, files),
    openRefStore: (store) => lock.hold(store.worktree.adminDir, () => openStore(git, place, store)),
    publish: (branch) => lock.hold(branch.worktree.adminDir, () => publishBranch(git, runDir, branch)),
    discardRefStore: ({ worktreeAdminDir }) =>
      lock.hold(worktreeAdminDir, () => discardStore(storeLayout(runDir, worktreeAdminDir))),
    sweep: (itemIds) => sweepStores(runDir, itemIds),
    findPlanted: (worktree) => findPlanted(git, runDir, worktree),
    checkWorktree: ({ worktree }) => checkWorktree(runDir, worktree),
    changedPaths: (worktree) => changedPaths(git, runDir, worktree),
    listUncommitted: (worktree) => listUncommitted(git, runDir, worktree),
    listUntracked: (worktree) => listUntracked(git, runDir, worktree),
    branchLog: ({ repository, ...range }) => branchLog(git, repository, range),
    branchDiff: ({ repository, ...diff }) => branchDiff(git, repository, diff),
  };
}

interface Held {
  readonly runDir: string;
  readonly lock: KeyedLock;
}

async function removeWorktree(
  git: GitRunner,
  kraft: Held,
  repository: Repository,
  options: Parameters<Git['removeWorktree']>[1],
): ReturnType<Git['removeWorktree']> {
  const registered = await findAdminDir(repository.commonDir, options.path);
  await discardStores(kraft, options.itemId, registered === null ? [] : [registered]);
  return kraft.lock.hold(repository.commonDir, async () => {
    // What is neither registered here nor in Kraft's own directory is nothing of Kraft's to remove.
    if (registered !== null || options.path.startsWith(kraft.runDir + sep)) {
      await removeRegistration(repository.commonDir, options.path);
    }
    return removeItemRefs(git, repository, options);
  });
}

async function removeLostWorktree(
  kraft: Held,
  { path, itemId }: { readonly path: string; readonly itemId: string },
): Promise<void> {
  await discardStores(kraft, itemId, []);
  if (path.startsWith(kraft.runDir + sep)) await removeTree(path);
}

async function discardStores({ runDir, lock }: Held, itemId: string, more: readonly string[]): Promise<void> {
  for (const adminDir of new Set([...(await storesOfItem(runDir, itemId)), ...more])) {
    await lock.hold(adminDir, () => discardStore(storeLayout(runDir, adminDir)));
  }
}
