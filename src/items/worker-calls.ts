import type { EventRow } from '../events/index.ts';
import type { ItemStatus } from './item.ts';
import type { Claim, ThreadView } from './thread.ts';

/** Who asks. Given by the channel that a call comes over, never by what the worker says of itself (CC 8.1). */
export interface WorkerIdentity {
  readonly itemId: string;
  readonly sessionId: string;
}

/** Its item as a worker sees it: no path of the host, nothing of other sessions. */
export interface WorkerItemView {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: ItemStatus;
  readonly node: string | null;
  readonly branch: string;
  readonly attempt: number;
  /** The note with which a person sent it back; null when none did. */
  readonly note: string | null;
  /** Task of its plan that was begun last; null before the first. */
  readonly planTask: number | null;
}

/**
 * What a worker may ask (CC 8.3), of its own item and while its session runs. Everything it hands in is data of no trust,
 * bounded. Errors: WORKER_CALL_REFUSED for anybody else; WORKER_CALLS_FULL; REVIEW_*; THREAD_UNKNOWN for whatever is not its own.
 */
export interface WorkerCalls {
  /** It has begun task `task` of its plan, 1 to 9999; the same one again is nothing new. */
  progress(who: WorkerIdentity, task: number): Promise<void>;
  reply(
    who: WorkerIdentity,
    reply: { readonly thread: string; readonly body: string; readonly claim: Claim | null },
  ): Promise<ThreadView>;
  /**
   * Takes its stopped item up again where it stopped; freezes nothing anew, and what a fix loop has tried counts on. Errors:
   * WORKER_RETRY_RUNS while the session is itself what would be retried; as a person's retry.
   */
  retry(who: WorkerIdentity, steer: string | null): Promise<void>;
  show(who: WorkerIdentity): Promise<WorkerItemView>;
  /** Without a person's drafts. */
  threads(who: WorkerIdentity, filter: { readonly openOnly: boolean }): Promise<readonly ThreadView[]>;
  /** A page of its item's events after `afterSeq`, as they were recorded: what of them leaves is the caller's to choose. */
  events(
    who: WorkerIdentity,
    query: { readonly afterSeq: number; readonly type: string | null },
  ): Promise<readonly EventRow[]>;
}
