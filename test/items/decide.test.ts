import { describe, expect, test } from 'vitest';
import { decide, type Item, type ItemVerb } from '../../src/items/index.ts';
import { sampleItem } from '../support/sample-item.ts';

const stop = {
  kind: 'failed',
  code: null,
  reason: 'Tests fail.',
  remedy: 'Look.',
  sessionId: null,
  facts: {},
} as const;

const states = {
  filed: sampleItem(),
  paused: sampleItem({ status: 'paused', started: true }),
  queued: sampleItem({ status: 'queued', started: true }),
  active: sampleItem({ status: 'active', started: true }),
  pausing: sampleItem({ status: 'active', started: true, pauseRequested: true }),
  stopped: sampleItem({ status: 'needs_human', started: true, stop }),
  retried: sampleItem({ status: 'queued', started: true, attempt: 2 }),
  completed: sampleItem({ status: 'completed', started: true }),
  abandoned: sampleItem({ status: 'abandoned', started: true }),
} satisfies Record<string, Item>;

const ask = (item: Item, verb: ItemVerb): ReturnType<typeof decide> =>
  decide(item, { verb, by: 'human', runningSessions: ['s1'] });

/** The outcome in one word: the new status, `nothing`, `abandon`, or the code of the refusal. */
function outcome(item: Item, verb: ItemVerb): string {
  const decision = ask(item, verb);
  if (decision.kind === 'refused') return decision.error.code.replace('KRAFT_', '');
  if (decision.kind !== 'change') return decision.kind;
  return decision.item.pauseRequested === true ? 'pausing' : (decision.item.status ?? '?');
}

describe('decide', () => {
  test.each<[keyof typeof states, Record<ItemVerb, string>]>([
    [
      'filed',
      { start: 'queued', pause: 'nothing', resume: 'ITEM_NOT_STARTED', retry: 'ITEM_NOT_STARTED', abandon: 'abandon' },
    ],
    [
      'paused',
      {
        start: 'ITEM_ALREADY_STARTED',
        pause: 'nothing',
        resume: 'queued',
        retry: 'ITEM_NOT_STOPPED',
        abandon: 'abandon',
      },
    ],
    ['queued', { start: 'nothing', pause: 'paused', resume: 'nothing', retry: 'ITEM_NOT_STOPPED', abandon: 'abandon' }],
    [
      'active',
      { start: 'nothing', pause: 'pausing', resume: 'nothing', retry: 'ITEM_NOT_STOPPED', abandon: 'abandon' },
    ],
    [
      'pausing',
      {
        start: 'ITEM_PAUSING',
        pause: 'nothing',
        resume: 'ITEM_PAUSING',
        retry: 'ITEM_NOT_STOPPED',
        abandon: 'abandon',
      },
    ],
    [
      'stopped',
      { start: 'ITEM_STOPPED', pause: 'ITEM_STOPPED', resume: 'ITEM_STOPPED', retry: 'queued', abandon: 'abandon' },
    ],
    ['retried', { start: 'nothing', pause: 'paused', resume: 'nothing', retry: 'nothing', abandon: 'abandon' }],
    [
      'completed',
      { start: 'ITEM_ENDED', pause: 'ITEM_ENDED', resume: 'ITEM_ENDED', retry: 'ITEM_ENDED', abandon: 'abandon' },
    ],
    [
      'abandoned',
      { start: 'ITEM_ENDED', pause: 'ITEM_ENDED', resume: 'ITEM_ENDED', retry: 'ITEM_ENDED', abandon: 'nothing' },
    ],
  ])('on an item that is %s', (state, expected) => {
    const verbs = ['start', 'pause', 'resume', 'retry', 'abandon'] as const;
    expect(Object.fromEntries(verbs.map((verb) => [verb, outcome(states[state], verb)]))).toEqual(expected);
  });

  test.each<ItemVerb>(['start', 'pause', 'resume', 'retry'])('leaves %s safe to ask twice', (verb) => {
    for (const item of Object.values(states)) {
      const first = ask(item, verb);
      if (first.kind !== 'change') continue;
      expect(ask({ ...item, ...first.item }, verb).kind).toBe('nothing');
    }
    expect.hasAssertions();
  });

  test('names the other verb when start and resume are mixed up', () => {
    const remedy = (item: Item, verb: ItemVerb): string => {
      const decision = ask(item, verb);
      return decision.kind === 'refused' ? decision.error.remedy : '';
    };
    expect(remedy(states.paused, 'start')).toContain('kraft item resume abcd2345');
    expect(remedy(states.filed, 'resume')).toContain('kraft item start abcd2345');
    expect(remedy(states.stopped, 'resume')).toContain('kraft item retry abcd2345');
    expect(remedy(states.paused, 'retry')).toContain('kraft item resume abcd2345');
  });

  test('records who asked, with which verb, and which sessions a pause ends', () => {
    expect(ask(states.filed, 'start')).toMatchObject({
      item: { status: 'queued', started: true },
      events: [{ type: 'work_item_resumed', payload: { by: 'human', verb: 'start' } }],
    });
    expect(ask(states.active, 'pause')).toMatchObject({
      events: [{ type: 'pause_requested', payload: { by: 'human', sessions: ['s1'] } }],
    });
  });

  test('clears the stop and counts the attempt on a retry', () => {
    expect(ask(states.stopped, 'retry')).toMatchObject({
      item: { status: 'queued', stop: null, attempt: 2 },
      events: [{ type: 'work_item_retried' }, { type: 'work_item_resumed', payload: { verb: 'retry' } }],
    });
  });
});
