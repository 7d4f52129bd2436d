import type { EventRow } from '../events/index.ts';
import type { Claim, ItemStatus, ThreadView } from '../items/index.ts';
import type { WorkerIdentity } from './request.ts';

/** Its item as a worker sees it. */
export interface WorkerItem {
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

/** Kraft's part of the calls, bound to the running session that asks. Errors: catalogued. */
export interface WorkerPort {
  progress(who: WorkerIdentity, task: number): Promise<void>;
  reply(
    who: WorkerIdentity,
    reply: { readonly thread: string; readonly body: string; readonly claim: Claim | null },
  ): Promise<ThreadView>;
  retry(who: WorkerIdentity, steer: string | null): Promise<void>;
  show(who: WorkerIdentity): Promise<WorkerItem>;
  threads(who: WorkerIdentity, filter: { readonly openOnly: boolean }): Promise<readonly ThreadView[]>;
  /** At most a page of the item's events after `afterSeq`. */
  events(
    who: WorkerIdentity,
    query: { readonly afterSeq: number; readonly type: string | null },
  ): Promise<readonly EventRow[]>;
}
