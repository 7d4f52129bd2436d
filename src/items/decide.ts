import type { KraftError } from '../base/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';

/** What a person can ask of an item without saying more; `retry` and `skip` have decisions of their own. */
export type ItemVerb = 'start' | 'pause' | 'resume' | 'abandon' | 'archive';

export interface ItemCommand {
  readonly verb: ItemVerb;
  readonly by: Actor;
  /** Sessions of the item that run now, for the record of a pause. */
  readonly runningSessions: readonly string[];
}

/**
 * The answer to a command. `nothing`: the item already is where the command would bring it. `change`: columns and events
 * to record. `abandon` and `archive` also need what the item holds removed, and their events say what became of the
 * branch, so the walk records them once that is done.
 */
export type ItemDecision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly error: KraftError }
  | { readonly kind: 'abandon' }
  | { readonly kind: 'archive' }
  | {
      readonly kind: 'change';
      readonly item: Partial<Omit<Item, 'id' | 'createdAt'>>;
      readonly events: readonly KraftEvent[];
    };

const nothing: ItemDecision = { kind: 'nothing' };

/** Decides a person's command on an item as it stands now; pure, and safe to ask twice. */
export function decide(item: Item, command: ItemCommand): ItemDecision {
  switch (command.verb) {
    case 'start':
      return decideStart(item, command.by);
    case 'pause':
      return decidePause(item, command);
    case 'resume':
      return decideResume(item, command.by);
    case 'abandon':
      return decideAbandon(item);
    case 'archive':
      return decideArchive(item);
  }
}

function decideStart(item: Item, by: Actor): ItemDecision {
  switch (item.status) {
    case 'paused':
      return item.started ? refuse(itemErrors.create('ITEM_ALREADY_STARTED', { id: item.id })) : claim('start', by);
    case 'queued':
    case 'active':
    case 'rate_limited':
      return item.pauseRequested ? refuse(itemErrors.create('ITEM_PAUSING', { id: item.id })) : nothing;
    case 'needs_human':
      return refuse(stopped(item, 'start'));
    case 'completed':
    case 'abandoned':
      return refuse(ended(item, 'be started'));
  }
}

function decideResume(item: Item, by: Actor): ItemDecision {
  switch (item.status) {
    case 'paused':
      return item.started
        ? claim('resume', by)
        : refuse(itemErrors.create('ITEM_NOT_STARTED', { id: item.id, verb: 'resume' }));
    case 'rate_limited':
      return claim('resume', by);
    case 'queued':
    case 'active':
      return item.pauseRequested ? refuse(itemErrors.create('ITEM_PAUSING', { id: item.id })) : nothing;
    case 'needs_human':
      return refuse(stopped(item, 'resume'));
    case 'completed':
    case 'abandoned':
      return refuse(ended(item, 'be resumed'));
  }
}

function decidePause(item: Item, command: ItemCommand): ItemDecision {
  const event: KraftEvent = {
    type: 'pause_requested',
    payload: { by: command.by, sessions: command.runningSessions },
  };
  switch (item.status) {
    case 'paused':
      return nothing;
    case 'queued':
    case 'rate_limited':
      return { kind: 'change', item: { status: 'paused', pauseRequested: false, resumesAt: null }, events: [event] };
    case 'active':
      return item.pauseRequested ? nothing : { kind: 'change', item: { pauseRequested: true }, events: [event] };
    case 'needs_human':
      return refuse(stopped(item, 'pause'));
    case 'completed':
    case 'abandoned':
      return refuse(ended(item, 'be paused'));
  }
}

function decideAbandon(item: Item): ItemDecision {
  if (item.status === 'abandoned') return nothing;
  return item.archivedAt === null ? { kind: 'abandon' } : refuse(ended(item, 'be abandoned'));
}

function decideArchive(item: Item): ItemDecision {
  if (item.archivedAt !== null) return nothing;
  if (item.status === 'completed' || item.status === 'abandoned') return { kind: 'archive' };
  return refuse(itemErrors.create('ITEM_OPEN', { id: item.id, status: item.status }));
}

function claim(verb: 'start' | 'resume', by: Actor): ItemDecision {
  return {
    kind: 'change',
    item: { status: 'queued', started: true, pauseRequested: false, resumesAt: null },
    events: [{ type: 'work_item_resumed', payload: { by, verb } }],
  };
}

function refuse(error: KraftError): ItemDecision {
  return { kind: 'refused', error };
}

/** Why a verb is none that takes a stopped item on. */
export function stopped(item: Item, verb: string): KraftError {
  if (item.stop?.kind === 'gate') {
    return itemErrors.create('ITEM_AT_GATE', { id: item.id, verb, gate: item.nextNode ?? 'of its chain' });
  }
  return itemErrors.create('ITEM_STOPPED', {
    id: item.id,
    verb,
    reason: item.stop?.reason ?? 'no reason was recorded.',
  });
}

export function ended(item: Item, verb: string): KraftError {
  return itemErrors.create('ITEM_ENDED', { id: item.id, status: item.status, verb });
}
