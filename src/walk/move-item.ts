import { asKraftError, hasCode } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import type { Item } from '../items/index.ts';
import type { Change } from '../store/index.ts';
import type { WalkPorts } from './ports.ts';
import { stopChange, stopFromError } from './stops.ts';

/** Changes an item that no walk is over; false when it is not any more where it was read. */
export async function moveItem(
  ports: Pick<WalkPorts, 'store'>,
  item: Item,
  columns: Change['item'],
  events: readonly KraftEvent[] = [],
): Promise<boolean> {
  try {
    await ports.store.apply({
      itemId: item.id,
      item: columns,
      events: events.map((event) => ({ event, nodeId: item.nextNode })),
      sessions: [],
      expectStatus: [item.status],
    });
    return true;
  } catch (error) {
    if (hasCode(error, 'ITEM_MOVED')) return false;
    throw error;
  }
}

/** Stops an item for a person with what an error says. */
export async function stopItem(ports: Pick<WalkPorts, 'store'>, item: Item, error: unknown): Promise<void> {
  const { item: columns, event } = stopChange(stopFromError(asKraftError(error), { sessionId: null, facts: {} }));
  await moveItem(ports, item, columns, [event]);
}
