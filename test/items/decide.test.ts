import { describe, expect, test } from 'vitest';
import { decide, type Item, type ItemVerb } from '../../src/items/index.ts';
import { outcomeOf, states } from './states.ts';

const ask = (item: Item, verb: ItemVerb): ReturnType<typeof decide> =>
  decide(item, { verb, by: 'human', runningSessions: ['s1'] });

describe('decide', () => {
  // Each column is a verb; each cell the new status, `nothing`, what is left to the walk, or the refusal.
  test.each<[keyof typeof states, Record<ItemVerb, string>]>([
    [
      'filed',
      { start: 'queued', pause: 'nothing', resume: 'ITEM_NOT_STARTED', abandon: 'abandon', archive: 'ITEM_OPEN' },
    ],
    [
      'paused',
      { start: 'ITEM_ALREADY_STARTED', pause: 'nothing', resume: 'queued', abandon: 'abandon', archive: 'ITEM_OPEN' },
    ],
    ['queued', { start: 'nothing', pause: 'paused', resume: 'nothing', abandon: 'abandon', archive: 'ITEM_OPEN' }],
    ['preparing', { start: 'nothing', pause: 'pausing', resume: 'nothing', abandon: 'abandon', archive: 'ITEM_OPEN' }],
    ['active', { start: 'nothing', pause: 'pausing', resume: 'nothing', abandon: 'abandon', archive: 'ITEM_OPEN' }],
    [
      'pausing',
      { start: 'ITEM_PAUSING', pause: 'nothing', resume: 'ITEM_PAUSING', abandon: 'abandon', archive: 'ITEM_OPEN' },
    ],
    ['limited', { start: 'nothing', pause: 'paused', resume: 'queued', abandon: 'abandon', archive: 'ITEM_OPEN' }],
    [
      'gate',
      {
        start: 'ITEM_AT_GATE',
        pause: 'ITEM_AT_GATE',
        resume: 'ITEM_AT_GATE',
        abandon: 'abandon',
        archive: 'ITEM_OPEN',
      },
    ],
    [
      'stopped',
      {
        start: 'ITEM_STOPPED',
        pause: 'ITEM_STOPPED',
        resume: 'ITEM_STOPPED',
        abandon: 'abandon',
        archive: 'ITEM_OPEN',
      },
    ],
    ['retried', { start: 'nothing', pause: 'paused', resume: 'nothing', abandon: 'abandon', archive: 'ITEM_OPEN' }],
    [
      'completed',
      { start: 'ITEM_ENDED', pause: 'ITEM_ENDED', resume: 'ITEM_ENDED', abandon: 'abandon', archive: 'archive' },
    ],
    [
      'abandoned',
      { start: 'ITEM_ENDED', pause: 'ITEM_ENDED', resume: 'ITEM_ENDED', abandon: 'nothing', archive: 'archive' },
    ],
    [
      'archived',
      { start: 'ITEM_ENDED', pause: 'ITEM_ENDED', resume: 'ITEM_ENDED', abandon: 'ITEM_ENDED', archive: 'nothing' },
    ],
  ])('on an item that is %s', (state, expected) => {
    const verbs = ['start', 'pause', 'resume', 'abandon', 'archive'] as const;
    expect(Object.fromEntries(verbs.map((verb) => [verb, outcomeOf(ask(states[state], verb))]))).toEqual(expected);
  });

  test.each<ItemVerb>(['start', 'pause', 'resume'])('leaves %s safe to ask twice', (verb) => {
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
    expect(remedy(states.stopped, 'archive')).toContain('kraft item abandon abcd2345');
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
});
