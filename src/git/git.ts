/** What this folder offers to launch, walk, doctor and compose. Implemented by `open-git.ts`. */

import type { KraftError } from '../base/index.ts';

/** The person's repository as found: where its parts lie. */
export interface Repository {
  /** Top of the main working tree, real path. */
  readonly root: string;
  /** Common git directory, real path. */
  readonly commonDir: string;
  /** `files` or what `extensions.refStorage` says. */
  readonly refStorage: string;
  readonly objectFormat: 'sha1' | 'sha256';
}

/** What `connect` and doctor need to know of a path; `problem` says why it cannot be used. */
export interface RepositoryProbe {
  readonly repository: Repository | null;
  /** Set when the path is a linked worktree: the main working tree to connect instead. */
  readonly linkedWorktreeOf: string | null;
  readonly hasCommit: boolean;
  readonly bare: boolean;
  readonly originUrl: string | null;
  readonly defaultBranch: string | null;
  /** `kraft` exists as a branch, so `kraft/<id>` cannot. */
  readonly branchKraft: boolean;
  /** Author for an item's commits: the daemon's GIT_* variables, else the repository's user.*; null when neither is set. */
  readonly identity: Identity | null;
  /** Hooks, LFS, submodules, signing: facts that connect warns about. */
  readonly notes: readonly string[];
  /** Why Kraft cannot work with it, catalogued; null when it can. */
  readonly problem: KraftError | null;
}

/** A worktree that Kraft made. */
export interface Worktree {
  readonly path: string;
  /** Its admin directory `<common>/worktrees/<name>` (W). */
  readonly adminDir: string;
  readonly branch: string;
  readonly baseCommit: string;
  /** What the base was taken from, for people. */
  readonly base: string;
}

/** The private ref store S of one worktree, ready to be mounted. */
export interface RefStore {
  /** S on the host. */
  readonly dir: string;
  readonly sidecar: string;
  readonly commonDir: string;
  readonly adminDir: string;
  /** Mounts of SI 2.5 as changed by the issue: S over the common dir, real objects and lfs read-only beside it. */
  readonly mounts: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[];
}

/** How publishing ended. */
export type PublishOutcome =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'published'; readonly from: string | null; readonly to: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly keptAs: string | null };

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Git on the host, hardened (SI 2.8): no hook, filter, fsmonitor or helper of a repository runs in it but where named. */
export interface Git {
  probeRepository(path: string): Promise<RepositoryProbe>;
  /** Files of a commit or HEAD (for probing markers), bounded; path -> size. */
  listTree(
    repository: Repository,
    commit: string,
  ): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]>;
  /** Text of one file of a commit; null when absent, binary or over `maxBytes`. */
  readBlob(repository: Repository, commit: string, path: string, maxBytes: number): Promise<string | null>;
  /** Resolves the base: fetches origin (60 s) into `refs/kraft/base/<item>`, falls back as the issue says. */
  resolveBase(
    repository: Repository,
    options: { readonly itemId: string; readonly baseBranch: string | null },
  ): Promise<{ readonly commit: string; readonly base: string }>;
  /** Makes branch and worktree, under the person's umask. Nothing is left behind when it throws. */
  createWorktree(
    repository: Repository,
    options: {
      readonly itemId: string;
      readonly path: string;
      readonly branch: string;
      readonly commit: string;
      readonly base: string;
    },
  ): Promise<Worktree>;
  /** Removes worktree and registration; the branch too when `removeBranch`. Idempotent. */
  removeWorktree(
    repository: Repository,
    options: {
      readonly path: string;
      readonly branch: string;
      readonly removeBranch: boolean;
      readonly itemId: string;
      readonly removeBase: boolean;
    },
  ): Promise<{ readonly branchRemoved: boolean }>;
  /**
   * The same for an item whose repository is gone: what lies in Kraft's own directories. Preconditions: `path` does.
   * Idempotent.
   */
  removeLostWorktree(options: { readonly path: string; readonly itemId: string }): Promise<void>;
  /** Commits of the item's branch that no other branch, tag or remote has; 0 without a branch. */
  countOwnCommits(
    repository: Repository,
    options: { readonly branch: string; readonly itemId: string },
  ): Promise<number>;
  /** Branches that Kraft made and that are still there, without `refs/heads/`. */
  listItemBranches(repository: Repository): Promise<readonly string[]>;
  /** Every ref store of this home: its item, null where that cannot be read, and the paths that it is made of. */
  listRefStores(): Promise<readonly { readonly itemId: string | null; readonly paths: readonly string[] }[]>;
  /** The branch's commit in the person's repository, or null. */
  branchCommit(repository: Repository, branch: string): Promise<string | null>;
  /** Copies `local_files` that the worktree ignores (CC 1.3). */
  copyLocalFiles(
    repository: Repository,
    worktree: string,
    files: readonly string[],
  ): Promise<
    readonly { readonly path: string; readonly outcome: 'copied' | 'missing' | 'refused'; readonly why: string }[]
  >;
  /** Builds or reuses S (SI 2.2, 2.3). `sessionId` null: setup command, publishes nothing. */
  openRefStore(options: {
    readonly repository: Repository;
    readonly worktree: Worktree;
    readonly itemId: string;
    readonly sessionId: string | null;
    readonly liveSessionIds: readonly string[];
  }): Promise<{ readonly store: RefStore; readonly carried: PublishOutcome }>;
  /** Publishes the item's branch alone (SI 2.4). Preconditions: no container mounts S any more, or only co-tasks. */
  publish(options: {
    readonly repository: Repository;
    readonly worktree: Worktree;
    readonly itemId: string;
    readonly sessionId: string;
  }): Promise<PublishOutcome>;
  /** Discards the store of a worktree and everything beside it. Idempotent. */
  discardRefStore(options: { readonly worktreeAdminDir: string }): Promise<void>;
  /**
   * Removes what earlier daemons left in the run directory: half-written records, scratch directories, stores of items
   * that are not in `itemIds`. What holds unpublished commits stays; gives what was kept, for people. To be called
   * before anything else of a daemon.
   */
  sweep(itemIds: readonly string[]): Promise<readonly string[]>;
  /** Nested repositories and gitlinks a worker planted (SI 2.7); empty when clean. Throws when the index cannot be read. */
  findPlanted(options: { readonly repository: Repository; readonly worktree: Worktree }): Promise<readonly string[]>;
  /** Whether HEAD is the item's branch and no merge, rebase or the like is in progress; else the reason. */
  checkWorktree(options: { readonly repository: Repository; readonly worktree: Worktree }): Promise<string | null>;
  /** Paths that differ between the base commit and the branch plus the working tree, for choosing test scopes. */
  changedPaths(options: { readonly repository: Repository; readonly worktree: Worktree }): Promise<readonly string[]>;
  /** Files of the working tree that are not so on the branch, ignored ones aside, sorted. Errors: WORKTREE_UNREADABLE. */
  listUncommitted(options: {
    readonly repository: Repository;
    readonly worktree: Worktree;
  }): Promise<readonly string[]>;
  /**
   * Files of the worktree that are neither tracked nor ignored, sorted; a directory of nothing but such is one entry with a
   * slash. Errors: WORKTREE_UNREADABLE.
   */
  listUntracked(options: { readonly repository: Repository; readonly worktree: Worktree }): Promise<readonly string[]>;
  /** Commits of the branch since the base, newest first. */
  branchLog(options: {
    readonly repository: Repository;
    readonly branch: string;
    readonly baseCommit: string;
  }): Promise<
    readonly { readonly commit: string; readonly subject: string; readonly author: string; readonly at: string }[]
  >;
  /** Diff of the branch against its base, from the repository's objects alone. */
  branchDiff(options: {
    readonly repository: Repository;
    readonly branch: string;
    readonly baseCommit: string;
    readonly format: 'patch' | 'stat' | 'name-only';
    readonly ignoreWhitespace: boolean;
    readonly maxBytes: number;
  }): Promise<{ readonly text: string; readonly truncated: boolean }>;
}
