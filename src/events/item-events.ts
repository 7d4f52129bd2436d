/** Who caused a fact: a person at the command line, the worker itself, or Kraft. */
export type Actor = 'human' | 'agent' | 'kraft';

/** Why an item stopped for a person (CC 6.1). `gate`: a gate of its chain waits for an answer. `rate_limit`: a provider was limited too often in a row. */
export type StopKind =
  'question' | 'cap' | 'budget' | 'failed' | 'conflict' | 'config' | 'infra' | 'stuck' | 'gate' | 'rate_limit';

export interface WorkItemCreated {
  readonly type: 'work_item_created';
  readonly payload: { readonly title: string; readonly repo: string; readonly chain: string };
}
/** The item was claimed by a person (`start`, `resume` or `retry`) and waits for a slot or runs. */
export interface WorkItemResumed {
  readonly type: 'work_item_resumed';
  readonly payload: {
    readonly by: Actor;
    /** `reset`: the time until which a provider had limited it has passed. */
    readonly verb: 'start' | 'resume' | 'retry' | 'approve' | 'reject' | 'skip' | 'reset';
  };
}
export interface PauseRequested {
  readonly type: 'pause_requested';
  readonly payload: { readonly by: Actor; readonly sessions: readonly string[] };
}
/** The item needs a person: what, why, the remedy, and the facts behind it. */
export interface WorkItemNeedsHuman {
  readonly type: 'work_item_needs_human';
  readonly payload: {
    readonly kind: StopKind;
    /** Catalogue code behind the stop (KRAFT_…), or null when an agent or a test said so. */
    readonly code: string | null;
    readonly reason: string;
    readonly remedy: string;
    readonly session_id: string | null;
    readonly facts: Readonly<Record<string, unknown>>;
  };
}
/** `path`: where its chain is entered again, null for the node that it stopped in. */
export interface WorkItemRetried {
  readonly type: 'work_item_retried';
  readonly payload: { readonly by: Actor; readonly path: string | null };
}
/** Every harness that the task may run on is limited; the item goes on by itself at `resets_at` (RFC 3339). */
export interface WorkItemRateLimited {
  readonly type: 'work_item_rate_limited';
  readonly payload: { readonly node_id: string; readonly task: string; readonly resets_at: string };
}
/** What it held was freed: worktree, ref store, HOME, and the branch where no commit would be lost with it. */
export interface WorkItemArchived {
  readonly type: 'work_item_archived';
  readonly payload: {
    readonly by: Actor;
    readonly kept_branch: boolean;
    /** Commits that were on no other branch or remote, null when the repository was gone. */
    readonly unpushed_commits: number | null;
    readonly freed_bytes: number | null;
  };
}
export interface WorkItemCompleted {
  readonly type: 'work_item_completed';
  /** `commit` is the branch's commit; `merge_command` is what a person runs in the repository to take it. */
  readonly payload: { readonly branch: string; readonly commit: string; readonly merge_command: string };
}
export interface WorkItemAbandoned {
  readonly type: 'work_item_abandoned';
  readonly payload: { readonly by: Actor; readonly branch_removed: boolean };
}
/** The worktree is ready: base commit, copied local files and those refused, how the setup command ended. */
export interface WorktreePrepared {
  readonly type: 'worktree_prepared';
  readonly payload: {
    readonly branch: string;
    readonly base_commit: string;
    /** What the base was taken from: `origin/<name>` freshly fetched, last fetched, or a local branch. */
    readonly base: string;
    readonly local_files: readonly {
      readonly path: string;
      readonly outcome: 'copied' | 'missing' | 'refused';
      readonly why: string;
    }[];
    readonly setup_ms: number | null;
  };
}
export interface NodeStarted {
  readonly type: 'node_started';
  readonly payload: { readonly node_id: string };
}
export interface NodeCompleted {
  readonly type: 'node_completed';
  readonly payload: { readonly node_id: string };
}
/** Tests were not run: `""` was declared, or no path changed. */
export interface ScopeSkipped {
  readonly type: 'scope_skipped';
  readonly payload: { readonly node_id: string; readonly path: string; readonly note: string };
}

/** A person passed over a node or gate. */
export interface NodeSkipped {
  readonly type: 'node_skipped';
  readonly payload: { readonly node_id: string; readonly gate: boolean; readonly note: string; readonly by: Actor };
}
/** A part failed and its `on_failure` runs, once for each entry. */
export interface NodeRecoveryStarted {
  readonly type: 'node_recovery_started';
  readonly payload: { readonly node_id: string; readonly path: string; readonly failed_tasks: readonly string[] };
}
/** A repair of the fix loop begins; `cycle` counts from 1. */
export interface FixCycleStarted {
  readonly type: 'fix_cycle_started';
  readonly payload: { readonly node_id: string; readonly cycle: number; readonly failed_tasks: readonly string[] };
}
/** What a run of a node with a fix loop found; `cycle` 0 is the first run. */
export interface FindingsMeasured {
  readonly type: 'findings_measured';
  readonly payload: {
    readonly node_id: string;
    readonly cycle: number;
    readonly findings: readonly Finding[];
    /** Entries of results that were no findings and were left out. */
    readonly dropped: number;
  };
}
/** What an agent, or a failed task, found wrong (CC 6.7). Text of a worker: data, never trusted. */
export interface Finding {
  readonly severity: 'critical' | 'important' | 'minor';
  readonly message: string;
  /** Who found it: a task's path, or what the agent names. */
  readonly source: string;
  readonly file: string | null;
  readonly line: number | null;
}
export interface JudgeVerdict {
  readonly type: 'judge_verdict';
  readonly payload: {
    readonly node_id: string;
    readonly cycle: number;
    readonly verdict: 'continue' | 'stop_needs_human' | 'stop_downgrade';
    readonly reasoning: string | null;
  };
}
/** The walk enters its chain again at `path`; `reopened` names the gates that have to be answered anew. */
export interface RunForked {
  readonly type: 'run_forked';
  readonly payload: { readonly path: string; readonly attempt: number; readonly reopened: readonly string[] };
}
/** At a retry or resume the repository's sandbox was taken anew from repos.yaml; names of what differs, no values. */
export interface SandboxRefrozen {
  readonly type: 'sandbox_refrozen';
  readonly payload: { readonly changed: readonly string[] };
}
/** Words for the next agent were left; they are given to it once. */
export interface SteerContextSet {
  readonly type: 'steer_context_set';
  readonly payload: { readonly by: Actor; readonly text: string };
}
/** The item ended, or was reset, before an agent read the words. */
export interface SteerUndelivered {
  readonly type: 'steer_undelivered';
  readonly payload: { readonly reason: string };
}
/** A worker says which task of its plan it has begun; `total` and `title` are null without a plan that tells them. */
export interface PlanProgress {
  readonly type: 'plan_progress';
  readonly payload: {
    readonly node_id: string;
    readonly task: number;
    readonly total: number | null;
    readonly title: string | null;
  };
}

export type ItemEvent =
  | WorkItemRateLimited
  | WorkItemArchived
  | NodeSkipped
  | NodeRecoveryStarted
  | FixCycleStarted
  | FindingsMeasured
  | JudgeVerdict
  | RunForked
  | SandboxRefrozen
  | SteerContextSet
  | SteerUndelivered
  | PlanProgress
  | WorkItemCreated
  | WorkItemResumed
  | PauseRequested
  | WorkItemNeedsHuman
  | WorkItemRetried
  | WorkItemCompleted
  | WorkItemAbandoned
  | WorktreePrepared
  | NodeStarted
  | NodeCompleted
  | ScopeSkipped;
