/** Who caused a fact: a person at the command line, the worker itself, or Kraft. */
export type Actor = 'human' | 'agent' | 'kraft';

/** Why an item stopped for a person (CC 6.1). */
export type StopKind = 'question' | 'cap' | 'budget' | 'failed' | 'conflict' | 'config' | 'infra' | 'stuck';

export interface WorkItemCreated {
  readonly type: 'work_item_created';
  readonly payload: { readonly title: string; readonly repo: string; readonly chain: string };
}
/** The item was claimed by a person (`start`, `resume` or `retry`) and waits for a slot or runs. */
export interface WorkItemResumed {
  readonly type: 'work_item_resumed';
  readonly payload: { readonly by: Actor; readonly verb: 'start' | 'resume' | 'retry' };
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
export interface WorkItemRetried {
  readonly type: 'work_item_retried';
  readonly payload: { readonly by: Actor };
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

export type ItemEvent =
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
