import { decide, type Item } from '../items/index.ts';
import { removeItemTraces } from './abandon.ts';
import { moveItem, stopItem } from './move-item.ts';
import type { WalkPorts } from './ports.ts';
import type { Slots } from './slots.ts';
import { undelivered } from './steer.ts';

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

/** Ends what runs and removes what the item has. Errors: ABANDON_FAILED. */
export async function abandonItem({ ports, slots }: VerbContext, item: Item): Promise<void> {
  const decision = decide(item, { verb: 'abandon', by: 'human', runningSessions: [] });
  if (decision.kind !== 'abandon') return;
  // So that no slot is given to the item while it is being removed.
  if (item.status === 'queued') await moveItem(ports, item, { status: 'paused' });
  const run = slots.runOf(item.id);
  run?.want('cancel');
  await run?.settled;
  const now = (await ports.store.getItem(item.id)) ?? item;
  try {
    const { branchRemoved } = await removeItemTraces(ports, now);
    await ports.store.apply({
      itemId: item.id,
      item: {
        status: 'abandoned',
        pauseRequested: false,
        stop: null,
        worktree: null,
        adminDir: null,
        prepared: false,
        steer: null,
      },
      events: [
        ...undelivered(now, 'the item was abandoned').map((event) => ({ event, nodeId: null })),
        {
          event: { type: 'work_item_abandoned', payload: { by: 'human', branch_removed: branchRemoved } },
          nodeId: null,
        },
      ],
      sessions: [],
      expectStatus: null,
    });
  } catch (error) {
    // Its walk has been ended for this: it must not look as if it still ran.
    if (now.status === 'active') await stopItem(ports, now, error);
    throw error;
  } finally {
    await slots.pump();
  }
}
