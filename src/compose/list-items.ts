import type { Store } from '../store/index.ts';
import { toPublicItem } from './item-view.ts';
import type { Board, PublicItem } from './kraft.ts';

/** Items of a repository's path, or all with null, newest first. */
export async function listPublicItems(
  store: Store,
  repo: string | null,
  query: { readonly includeAbandoned: boolean; readonly includeArchived: boolean },
): Promise<readonly PublicItem[]> {
  const items = await store.listItems({ repo, statuses: null });
  const shown = items
    .filter((item) => query.includeAbandoned || item.status !== 'abandoned')
    .filter((item) => query.includeArchived || item.archivedAt === null)
    .map(toPublicItem);
  return shown.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}

/** A board may be left open for days: it shows what was completed last, not everything that ever was. */
const completedMax = 20;

/** What is going on in a repository's path, or in all with null. */
export async function readBoard(store: Store, repo: string | null): Promise<Board> {
  const { seq, items, sessions, events, spend } = await store.board({ repo, completedMax });
  return {
    seq,
    items: items.map((item) => ({
      item: toPublicItem(item),
      sessions: sessions.filter((session) => session.itemId === item.id),
      lastEvent: events.find((event) => event.work_item_id === item.id) ?? null,
      spend: spend.find((each) => each.itemId === item.id) ?? null,
    })),
  };
}
