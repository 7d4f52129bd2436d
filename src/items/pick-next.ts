import type { Item } from './item.ts';

/** Which queued items may take a slot now, longest waiting first. An item in `needs_human` or paused holds no slot. */
export function pickNext(items: readonly Item[], policy: { readonly maxConcurrent: number }): readonly Item[] {
  const busy = items.filter((item) => item.status === 'active').length;
  const free = Math.max(0, policy.maxConcurrent - busy);
  return items
    .filter((item) => item.status === 'queued')
    .toSorted((a, b) => compare(a.updatedAt, b.updatedAt) || compare(a.createdAt, b.createdAt) || compare(a.id, b.id))
    .slice(0, free);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
