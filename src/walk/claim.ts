import { hasCode, type KraftError } from '../base/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import {
  decide,
  decideFork,
  decideRetry,
  decideSkip,
  itemErrors,
  type Fork,
  type Item,
  type ItemDecision,
  type Skip,
} from '../items/index.ts';
import { thaw } from './frozen.ts';
import { listPassed, readGates } from './gate.ts';
import { moveItem } from './move-item.ts';
import { refreeze } from './refreeze.ts';
import { steerItem } from './steer.ts';
import { stopChange, stopFromError } from './stops.ts';
import type { VerbContext } from './verbs.ts';

/** Starts or resumes an item: puts it into the queue. Errors: what the decision refuses, and those of the configuration. */
export async function claimItem(
  context: VerbContext,
  item: Item,
  { verb, steer }: { readonly verb: 'start' | 'resume'; readonly steer: string | null },
): Promise<void> {
  const decision = decide(item, { verb, by: 'human', runningSessions: [] });
  if (!goesOn(decision)) {
    refuseSteer(item, steer);
    return;
  }
  const { ports } = context;
  // A resumed item goes on under the chain and the commands that it started with.
  const { columns, events, locked } = await refreeze(ports, item, verb === 'start' ? 'whole' : 'sandbox');
  if (locked !== null) {
    // What was never started stays as it was filed.
    if (verb === 'start') throw locked;
    return stopLocked(context, item, locked);
  }
  await enqueue(context, item, { decision, columns, events, steer, by: 'human' });
}

/**
 * Takes a stopped item up again, at its node or where `fork` says. A worker's own retry freezes nothing anew. Errors: what
 * the decisions refuse, and those of the configuration; nothing is changed by them.
 */
export async function retryItem(
  context: VerbContext,
  item: Item,
  { fork, steer }: { readonly fork: Fork; readonly steer: string | null },
): Promise<void> {
  const early = decideRetry(item, fork, thaw(item).chain);
  if (early !== null && !goesOn(early)) {
    refuseSteer(item, steer);
    return;
  }
  const { ports } = context;
  const refrozen = fork.by === 'agent' ? null : await refreeze(ports, item, 'whole');
  if (refrozen !== null && refrozen.locked !== null) return stopLocked(context, item, refrozen.locked);
  const { chain } = refrozen?.frozen ?? thaw(item);
  const decision = decideFork(item, fork, { chain, gates: await readGates(ports.store, item.id) });
  if (!goesOn(decision)) return;
  const { columns, events } = refrozen ?? { columns: {}, events: [] };
  await enqueue(context, item, { decision, columns, events, steer, by: fork.by });
}

/** Passes over the node or gate at which an item stands, or a part of it. Errors: what the decision refuses. */
export async function skipItem(context: VerbContext, item: Item, skip: Skip): Promise<void> {
  const { ports, slots } = context;
  const passed = await listPassed(ports.store, item.id);
  const decision = decideSkip(item, skip, { chain: thaw(item).chain, passed });
  if (!goesOn(decision)) return;
  // Between being read and now its provider's limit may have passed: then it runs, and the skip is refused for that.
  if (!(await moveItem(ports, item, decision.item, decision.events))) {
    const now = await ports.store.getItem(item.id);
    if (now !== null) return skipItem(context, now, skip);
  }
  await slots.pump();
}

type Going = Extract<ItemDecision, { kind: 'change' }>;

/** Whether something is to be done; throws what was refused. */
function goesOn(decision: ItemDecision): decision is Going {
  if (decision.kind === 'refused') throw decision.error;
  return decision.kind === 'change';
}

function refuseSteer(item: Item, steer: string | null): void {
  if (steer !== null) throw itemErrors.create('STEER_NOT_TAKEN', { id: item.id, status: item.status });
}

async function enqueue(
  { ports, slots }: VerbContext,
  item: Item,
  what: {
    readonly decision: Going;
    readonly columns: Partial<Item>;
    readonly events: readonly KraftEvent[];
    readonly steer: string | null;
    readonly by: Actor;
  },
): Promise<void> {
  const columns = { ...what.decision.item, ...what.columns };
  const words = what.steer === null ? null : steerItem({ ...item, ...columns }, what.steer, what.by);
  const events = [...what.events, ...what.decision.events, ...(words?.events ?? [])];
  try {
    await ports.store.apply({
      itemId: item.id,
      item: { ...columns, ...words?.item },
      events: events.map((event) => ({ event, nodeId: null })),
      sessions: [],
      expectStatus: [item.status],
    });
  } catch (error) {
    // A rate limit that passed by itself meanwhile has taken it on already.
    if (!hasCode(error, 'ITEM_MOVED')) throw error;
    refuseSteer(item, what.steer);
  }
  await slots.pump();
}

/** The chain does not fit the sandbox that the item would go on in: a configuration error, and nothing else changes. */
async function stopLocked({ ports }: VerbContext, item: Item, locked: KraftError): Promise<void> {
  const { item: columns, event } = stopChange(stopFromError(locked, { sessionId: null, facts: {} }));
  await moveItem(ports, item, { ...columns, resumesAt: null }, [event]);
}
