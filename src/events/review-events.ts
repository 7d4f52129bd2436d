import type { Actor } from './item-events.ts';

/** A gate was reached and waits for a person. */
export interface GateRequested {
  readonly type: 'gate_requested';
  readonly payload: { readonly node_id: string; readonly gate: string; readonly message: string };
}
export interface GateApproved {
  readonly type: 'gate_approved';
  readonly payload: { readonly gate: string; readonly by: Actor; readonly note: string | null };
}
/** `node`: where the item goes back to. */
export interface GateRejected {
  readonly type: 'gate_rejected';
  readonly payload: { readonly gate: string; readonly by: Actor; readonly note: string; readonly node: string };
}
/** An answered gate has to be answered again, because the walk went back before it. */
export interface GateReopened {
  readonly type: 'gate_reopened';
  readonly payload: { readonly gate: string };
}
/** A review took its drafts with it; `gate` is null outside a gate. */
export interface ReviewSubmitted {
  readonly type: 'review_submitted';
  readonly payload: {
    readonly review_id: string;
    readonly gate: string | null;
    readonly outcome: 'comment' | 'approve' | 'request_changes';
    readonly threads: readonly string[];
    readonly by: Actor;
  };
}
/** A thread was opened, answered, resolved or reopened. */
export interface ThreadUpdated {
  readonly type: 'thread_updated';
  readonly payload: {
    readonly thread: string;
    readonly file: string;
    readonly line: number;
    readonly status: 'open' | 'resolved';
    readonly change: 'opened' | 'replied' | 'resolved' | 'reopened';
    readonly by: Actor;
    /** What a worker says of its reply; null for a person's words. */
    readonly claim: 'fixed' | 'answered' | 'should_fix' | null;
  };
}
/** No agent answers a comment: `no_route` without a network, `not_built` otherwise. */
export interface ReplyAgentSkipped {
  readonly type: 'reply_agent_skipped';
  readonly payload: { readonly gate: string | null; readonly reason: 'no_route' | 'not_built' };
}

export type ReviewEvent =
  GateRequested | GateApproved | GateRejected | GateReopened | ReviewSubmitted | ThreadUpdated | ReplyAgentSkipped;
