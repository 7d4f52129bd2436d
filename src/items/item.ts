import type { StopKind } from '../events/index.ts';

/** CC 6.1. `active` holds a slot of `max_concurrent`; `queued` is active without one yet. */
export type ItemStatus = 'paused' | 'queued' | 'active' | 'needs_human' | 'completed' | 'abandoned';

/** The stop that an item shows while it needs a person. */
export interface ItemStop {
  readonly kind: StopKind;
  readonly code: string | null;
  readonly reason: string;
  readonly remedy: string;
  readonly sessionId: string | null;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** One work item: what was filed (frozen then) and where it stands. */
export interface Item {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Absolute path of the connected repository. */
  readonly repo: string;
  readonly chain: string;
  readonly harness: string;
  /** Branch name without `refs/heads/`: `kraft/<id>-<slug>`. */
  readonly branch: string;
  /** What the person asked to start from; null for the repository's default branch. */
  readonly baseBranch: string | null;
  /** Commit that the branch was cut from; null until the worktree is made. */
  readonly baseCommit: string | null;
  /** What the base commit was taken from, for people (`origin/main`); null until the worktree is made. */
  readonly base: string | null;
  /** Absolute path of the worktree; null until made and after abandon. */
  readonly worktree: string | null;
  /** Git's own directory for the worktree (W), as made; never read back from the worktree, which a worker can write. */
  readonly adminDir: string | null;
  /** True from the end of the setup command on: from here nothing is removed but by abandon. */
  readonly prepared: boolean;
  readonly status: ItemStatus;
  /** False until `start`: only then is `resume` the right verb. */
  readonly started: boolean;
  /** Set by a pause while work is going on; the walk stops at the next safe point. */
  readonly pauseRequested: boolean;
  readonly stop: ItemStop | null;
  /** Node that the walk enters next. */
  readonly nextNode: string | null;
  /** Counts from 1; a retry adds one. Sessions carry it, so that a retried node does not take over old results. */
  readonly attempt: number;
  /** The repository entry as frozen at filing, at the start and at each retry (JSON of ResolvedRepo). */
  readonly frozen: string;
  /** The chain as frozen at the same moments (JSON of Chain). */
  readonly frozenChain: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}
