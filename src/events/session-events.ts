/** How a session ended; `config_error`, `paused`, `rate_limited` and `capped_out` are Kraft's own words (CC 6.7). */
export type SessionStatus =
  | 'pending'
  | 'running'
  | 'done'
  | 'done_with_concerns'
  | 'needs_context'
  | 'failed'
  | 'config_error'
  | 'paused'
  | 'rate_limited'
  | 'capped_out'
  | 'unknown';

export interface WorkerSessionCreated {
  readonly type: 'worker_session_created';
  readonly payload: {
    readonly session_id: string;
    readonly node_id: string;
    readonly task: string;
    readonly attempt: number;
    readonly run: number;
  };
}
export interface WorkerSessionStarted {
  readonly type: 'worker_session_started';
  readonly payload: { readonly session_id: string; readonly pid: number; readonly container: string };
}
export interface WorkerSessionExited {
  readonly type: 'worker_session_exited';
  readonly payload: {
    readonly session_id: string;
    readonly status: SessionStatus;
    readonly exit_code: number | null;
    /** Wall time from start to end in milliseconds, of the monotonic clock where one boot saw both ends. */
    readonly wall_ms: number;
    /** Why, when the status alone does not say it. */
    readonly reason: string | null;
    /** What the agent says that it used; null when it said nothing. */
    readonly model: string | null;
    readonly input_tokens: number | null;
    readonly cached_tokens: number | null;
    readonly output_tokens: number | null;
    /** US dollars. */
    readonly cost_usd: number | null;
  };
}
/** The agent went on with its own earlier session, by its harness's resume. */
export interface AgentSessionResumed {
  readonly type: 'agent_session_resumed';
  readonly payload: { readonly session_id: string; readonly agent_session: string };
}
/** The session that the agent could have gone on with is not in its HOME any more: it begins anew with its whole task. */
export interface AgentSessionLost {
  readonly type: 'agent_session_lost';
  readonly payload: { readonly session_id: string; readonly agent_session: string; readonly reason: string };
}
/** The attached stream ended before the container did, or the log was capped: what the log lacks, said once. */
export interface SessionOutputIncomplete {
  readonly type: 'session_output_incomplete';
  readonly payload: { readonly session_id: string; readonly reason: string; readonly dropped_bytes: number | null };
}
/** After a daemon restart the running session was taken over again. */
export interface SessionReattached {
  readonly type: 'session_reattached';
  readonly payload: { readonly session_id: string; readonly pid: number };
}
/** After a daemon restart nothing could be said of the session; the item stops for a person. */
export interface SessionUnknown {
  readonly type: 'session_unknown';
  readonly payload: { readonly session_id: string; readonly reason: string };
}

export type SessionEvent =
  | WorkerSessionCreated
  | WorkerSessionStarted
  | WorkerSessionExited
  | AgentSessionResumed
  | AgentSessionLost
  | SessionOutputIncomplete
  | SessionReattached
  | SessionUnknown;
