import type { EventRow } from '../events/index.ts';
import type { Store } from '../store/index.ts';

/** Which rows are waited for. */
export interface FollowQuery {
  readonly itemId: string | null;
  readonly type: string | null;
  readonly afterSeq: number;
  readonly waitMs: number;
}

const pageSize = 500;

/** Rows after `afterSeq`, at once when there are some; else the first that come within `waitMs`, or none. */
export async function followEvents(store: Store, query: FollowQuery): Promise<readonly EventRow[]> {
  const { itemId, type, afterSeq, waitMs } = query;
  const { promise: came, resolve } = Promise.withResolvers<undefined>();
  // Listening begins before the reading, so that nothing falls between the two.
  const unsubscribe = store.onEvents((rows) => {
    const wanted = (row: EventRow): boolean =>
      (itemId === null || row.work_item_id === itemId) && (type === null || row.type === type);
    if (rows.some(wanted)) resolve(undefined);
  });
  const timer = setTimeout(() => resolve(undefined), waitMs);
  try {
    const rows = await store.events({ itemId, type, afterSeq, limit: pageSize });
    if (rows.length > 0) return rows;
    await came;
    return await store.events({ itemId, type, afterSeq, limit: pageSize });
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
