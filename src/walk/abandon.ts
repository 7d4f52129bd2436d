import { asKraftError } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { decide, type Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { carryOver, findRepository, removeTraces } from './item-traces.ts';
import { moveItem, stopItem } from './move-item.ts';
import type { WalkPorts } from './ports.ts';
import { undelivered } from './steer.ts';
import type { VerbContext } from './verbs.ts';

/** Ends what runs and removes what the item has. Errors: ABANDON_FAILED. */
export async function abandonItem({ ports, slots }: VerbContext, item: Item): Promise<void> {
  const decision = decide(item, { verb: 'abandon', by: 'human', runningSessions: [] });
  if (decision.kind === 'refused') throw decision.error;
  if (decision.kind !== 'abandon') return;
  // So that no slot is given to the item while it is being removed.
  if (item.status === 'queued' || item.status === 'rate_limited') await moveItem(ports, item, { status: 'paused' });
  const run = slots.runOf(item.id);
  run?.want('cancel');
  await run?.settled;
  const now = (await ports.store.getItem(item.id)) ?? item;
  try {
    const facts = await removeAll(ports, now);
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
        resumesAt: null,
      },
      events: [...undelivered(now, 'the item was abandoned'), ...facts].map((event) => ({ event, nodeId: null })),
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

async function removeAll(ports: WalkPorts, item: Item): Promise<readonly KraftEvent[]> {
  // Never started: nothing was made, and the repository may be gone.
  if (!item.started) return [abandoned(false)];
  try {
    const repository = await findRepository(ports, item.repo);
    const carried = await carryOver(ports, item, repository);
    const { branchRemoved } = await removeTraces(ports, item, repository);
    return [...carried, abandoned(branchRemoved)];
  } catch (error) {
    const known = asKraftError(error);
    throw walkErrors.create('ABANDON_FAILED', { id: item.id, why: `${known.message} ${known.remedy}` }, error);
  }
}

function abandoned(branchRemoved: boolean): KraftEvent {
  return { type: 'work_item_abandoned', payload: { by: 'human', branch_removed: branchRemoved } };
}
