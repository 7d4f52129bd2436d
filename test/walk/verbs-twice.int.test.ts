import { expect, test } from 'vitest';
import { KraftError } from '../../src/base/index.ts';
import type { Item, ItemStop } from '../../src/items/index.ts';
import type { Walker } from '../../src/walk/index.ts';
import { Home } from './home.ts';

const stop: ItemStop = {
  kind: 'failed',
  code: null,
  reason: 'Tests fail.',
  remedy: 'Look.',
  sessionId: null,
  facts: {},
};
const begun = { started: true, prepared: true, nextNode: 'verification' } as const;

/** An item of the shipped chain `default` at each moment of its life. */
const moments: Readonly<Record<string, Partial<Item>>> = {
  filed: {},
  paused: { ...begun, status: 'paused' },
  queued: { ...begun, status: 'queued' },
  preparing: { started: true, status: 'active' },
  running: { ...begun, status: 'active' },
  pausing: { ...begun, status: 'active', pauseRequested: true },
  'rate-limited': { ...begun, status: 'rate_limited', resumesAt: '2999-01-01T00:00:00.000Z' },
  'at its gate': { ...begun, status: 'needs_human', nextNode: 'local_review', stop: { ...stop, kind: 'gate' } },
  stopped: { ...begun, status: 'needs_human', stop },
  'stopped before its worktree': { started: true, status: 'needs_human', stop: { ...stop, kind: 'config' } },
  completed: { ...begun, status: 'completed', nextNode: null },
  abandoned: { ...begun, status: 'abandoned' },
  archived: { ...begun, status: 'completed', nextNode: null, archivedAt: '2026-01-01T00:00:00.000Z' },
};

const open = Object.keys(moments).filter((name) => name !== 'abandoned' && name !== 'archived');

/** Each verb with the moments at which it has an effect. */
const verbs: Readonly<
  Record<string, readonly [ask: (walker: Walker, id: string) => Promise<Item>, at: readonly string[]]>
> = {
  start: [(walker, id) => walker.start(id), ['filed']],
  pause: [(walker, id) => walker.pause(id), ['queued', 'preparing', 'running', 'rate-limited']],
  resume: [(walker, id) => walker.resume(id), ['paused', 'rate-limited']],
  retry: [(walker, id) => walker.retry(id), ['stopped', 'stopped before its worktree']],
  'retry --path': [
    (walker, id) => walker.retry(id, { path: 'implementation' }),
    ['at its gate', 'stopped', 'stopped before its worktree'],
  ],
  'retry --restart': [
    (walker, id) => walker.retry(id, { restart: true }),
    ['at its gate', 'stopped', 'stopped before its worktree'],
  ],
  skip: [
    (walker, id) => walker.skip(id, { path: null, note: 'Looked at.' }),
    ['paused', 'rate-limited', 'at its gate', 'stopped'],
  ],
  abandon: [(walker, id) => walker.abandon(id), open],
  archive: [(walker, id) => walker.archive(id, { yes: true, logs: false }), ['completed', 'abandoned']],
};

/** What asking came to: the codes of refusals, what the item then is, and the events that were added. */
interface Outcome {
  readonly refusals: readonly string[];
  readonly item: Partial<Item>;
  readonly events: readonly string[];
}

async function ask(
  home: Home,
  moment: Partial<Item>,
  asked: (id: string) => readonly Promise<Item>[],
): Promise<Outcome> {
  const { id } = await home.file('x', { chain: 'default' });
  await home.store.apply({ itemId: id, item: moment, events: [], sessions: [], expectStatus: null });
  const ends = await Promise.allSettled(asked(id));
  const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [codeOf(end.reason)] : []));
  const { status, pauseRequested, stop, nextNode, enterAt, skipped, attempt, archivedAt } = await home.item(id);
  return {
    refusals: [...new Set(refusals)],
    item: { status, pauseRequested, stop, nextNode, enterAt, skipped, attempt, archivedAt: archivedAt && 'then' },
    events: (await home.eventTypes(id)).slice(1),
  };
}

function codeOf(error: unknown): string {
  if (error instanceof KraftError && error.kind !== 'bug') return error.code;
  throw error;
}

test.each(Object.entries(verbs))(
  '%s twice at once has the effect of one, at every moment of an item',
  async (_, [verb, at]) => {
    const home = await Home.open();
    // Nothing takes a slot, so that each item stays where the verb brought it.
    home.policy = { ...home.policy, maxConcurrent: 0 };
    const effective: string[] = [];
    for (const [name, moment] of Object.entries(moments)) {
      const once = await ask(home, moment, (id) => [verb(home.walker, id)]);
      const twice = await ask(home, moment, (id) => [verb(home.walker, id), verb(home.walker, id)]);

      expect(twice, name).toEqual(once);
      // A refusal leaves everything as it was; what is not refused is recorded, or was so already.
      if (once.refusals.length > 0) expect(once.events, name).toEqual([]);
      if (once.events.length > 0) effective.push(name);
    }
    expect(effective).toEqual(at);
  },
  // Throwing an item away is a dozen git processes.
  180_000,
);
