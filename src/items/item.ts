import type { Finding, StopKind } from '../events/index.ts';

/**
 * CC 6.1. `active` holds a slot of `max_concurrent`; `queued` is active without one yet; `rate_limited` goes on by itself at
 * `resumesAt`. An item at a gate is `needs_human` with a stop of kind `gate`.
 */
export type ItemStatus = 'paused' | 'queued' | 'active' | 'rate_limited' | 'needs_human' | 'completed' | 'abandoned';

/** Where a fix loop stands; null outside one. What it has tried decides what comes next, also after a crash. */
export interface FixLoop {
  readonly nodeId: string;
  /** Repairs that were begun; 0 while the node runs for the first time. */
  readonly cycle: number;
  /** `repair`: the loop's own tasks run; `measure`: the node runs again. */
  readonly phase: 'repair' | 'measure';
  /** One fingerprint for each run that failed, in order: three equal ones at the end are `stuck`. */
  readonly fingerprints: readonly string[];
  /** What the last run failed at: the repair's agents are told of it. */
  readonly failures: readonly TaskFailure[];
}

export interface TaskFailure {
  /** Canonical path of the task, or of the run of it that failed. */
  readonly task: string;
  /** The command or agent, for people. */
  readonly what: string;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly sessionId: string | null;
  readonly findings: readonly Finding[];
}

/** A gate's refusal, given to the agents that follow until the gate is reached again. */
export interface Rejection {
  readonly gate: string;
  readonly note: string;
}

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
  /** Canonical path inside `nextNode` at which the walk enters it (`node.step` or `node.step.task`); null for its beginning. */
  readonly enterAt: string | null;
  /** Paths that a person passed over in this attempt; emptied when their node is left. */
  readonly skipped: readonly string[];
  /** Parts whose `on_failure` ran since `nextNode` was entered: each runs once for an entry. */
  readonly recovered: readonly string[];
  readonly fixLoop: FixLoop | null;
  /** A person's words for the next agent, given once; null for none. */
  readonly steer: string | null;
  readonly rejection: Rejection | null;
  /** When a rate-limited item goes on (RFC 3339); null otherwise. */
  readonly resumesAt: string | null;
  /** When what it held was freed; null while it holds it. */
  readonly archivedAt: string | null;
  /** Counts from 1; a retry and a rejection add one. Sessions carry it, so that a retried node does not take over old results. */
  readonly attempt: number;
  /** The repository entry as frozen at filing, at the start and at each retry (JSON of ResolvedRepo). */
  readonly frozen: string;
  /** The chain as frozen at the same moments (JSON of Chain). */
  readonly frozenChain: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The columns of an item that stands at its beginning. */
export const atStart = {
  enterAt: null,
  skipped: [],
  recovered: [],
  fixLoop: null,
  steer: null,
  rejection: null,
  resumesAt: null,
  archivedAt: null,
} as const satisfies Partial<Item>;
