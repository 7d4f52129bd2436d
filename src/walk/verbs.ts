import { decide, type Item } from '../items/index.ts';
import { moveItem } from './move-item.ts';
import type { WalkPorts } from './ports.ts';
import type { Slots } from './slots.ts';

/** What a verb works with. Each is called with the item as stored, one after the other on the same item. */
export interface VerbContext {
  readonly ports: WalkPorts;
  readonly slots: Slots;
}

/** Asks the walk to end at its next safe point, or pauses an item that waits at once. */
export async function pauseItem(context: VerbContext, item: Item): Promise<void> {
  const { ports, slots } = context;
  const sessions = await ports.store.listSessions({ itemId: item.id, statuses: ['pending', 'running'] });
  const decision = decide(item, { verb: 'pause', by: 'human', runningSessions: sessions.map((row) => row.id) });
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind !== 'change') return;
  if (await moveItem(ports, item, decision.item, decision.events)) {
    slots.runOf(item.id)?.want('pause');
    return;
  }
  // It took its slot, or came to its end, between being read and now: what is asked of it is decided anew.
  const now = await ports.store.getItem(item.id);
  if (now !== null) await pauseItem(context, now);
}
