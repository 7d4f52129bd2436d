import type { Store } from '../store/index.ts';
import { toPublicItem } from './item-view.ts';
import type { PublicItem } from './kraft.ts';

/** Items of a repository's path, or all with null, newest first. */
export async function listPublicItems(
  store: Store,
  repo: string | null,
  query: { readonly includeAbandoned: boolean },
): Promise<readonly PublicItem[]> {
  const items = await store.listItems({ repo, statuses: null });
  const shown = items.filter((item) => query.includeAbandoned || item.status !== 'abandoned').map(toPublicItem);
  return shown.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
}
