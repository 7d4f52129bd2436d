import type { ErrorReport } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import type { Database } from './database.ts';

/** Methods of the database that the worker thread answers. */
export type Method = Exclude<keyof Database, 'close'>;

export type Arguments<M extends Method> = Parameters<Database[M]>;
export type Answer<M extends Method> = ReturnType<Database[M]>;

/** One call on its way into the worker thread. */
export interface Request {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

/** What comes back. `opened` and `closed` frame the thread's life; `committed` is empty for a read. */
export type Response =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: Failure }
  | { readonly kind: 'closed' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown; readonly committed: readonly EventRow[] }
  | { readonly kind: 'failed'; readonly id: number; readonly error: Failure };

/** An error across the border of threads: its report, or the text of one that has none. */
export type Failure = { readonly report: ErrorReport } | { readonly text: string };
