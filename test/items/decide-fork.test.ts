import { describe, expect, test } from 'vitest';
import type { Actor } from '../../src/events/index.ts';
import { decideFork, decideRetry, type Fork, type Gates, type Item } from '../../src/items/index.ts';
import { chain, holding, outcomeOf, states } from './states.ts';

const here: Fork = { by: 'human', path: null, restart: false };
const at = (path: string, by: Actor = 'human'): Fork => ({ by, path, restart: false });
const restart: Fork = { by: 'human', path: null, restart: true };

const fork = (
  item: Item,
  asked: Fork,
  more: { places?: typeof chain; gates?: Gates } = {},
): ReturnType<typeof decideFork> =>
  decideFork(item, asked, { chain: more.places ?? chain, gates: more.gates ?? new Map() });

describe('decideRetry', () => {
  test.each<[keyof typeof states, string]>([
    ['filed', 'ITEM_NOT_STARTED'],
    ['paused', 'ITEM_NOT_STOPPED'],
    ['queued', 'ITEM_NOT_STOPPED'],
    ['preparing', 'ITEM_NOT_STOPPED'],
    ['active', 'ITEM_NOT_STOPPED'],
    ['pausing', 'ITEM_NOT_STOPPED'],
    ['limited', 'ITEM_NOT_STOPPED'],
    ['gate', 'goes on'],
    ['stopped', 'goes on'],
    ['retried', 'nothing'],
    ['completed', 'ITEM_ENDED'],
    ['abandoned', 'ITEM_ENDED'],
    ['archived', 'ITEM_ENDED'],
  ])('on an item that is %s: %s', (state, expected) => {
    expect(outcomeOf(decideRetry(states[state], here, chain))).toBe(expected);
  });

  test.each([here, at('build'), at('checks.slow.tests'), restart])('is safe to ask twice: %o', (asked) => {
    const first = fork(states.stopped, asked);
    const then = { ...states.stopped, ...(first.kind === 'change' ? first.item : {}) };

    expect(first.kind).toBe('change');
    expect(decideRetry(then, asked, chain)?.kind).toBe('nothing');
  });

  test('does not take a retry elsewhere for the one that is under way', () => {
    expect(outcomeOf(decideRetry(states.retried, at('build'), chain))).toBe('ITEM_NOT_STOPPED');
    expect(outcomeOf(decideRetry(states.retried, restart, chain))).toBe('ITEM_NOT_STOPPED');
  });
});

describe('decideFork', () => {
  test.each<[string, Fork, string, string | null]>([
    ['its node', here, 'checks', null],
    ['a node before', at('build'), 'build', null],
    ['a step', at('checks.slow'), 'checks', 'checks.slow'],
    ['a task', at('checks.quick.types'), 'checks', 'checks.quick.types'],
    ['the first node', restart, 'build', null],
  ])('enters the chain at %s', (_name, asked, nextNode, enterAt) => {
    const decision = fork(states.stopped, asked);

    expect(decision).toMatchObject({
      item: { status: 'queued', stop: null, nextNode, enterAt, attempt: 2 },
      events: [
        { type: 'work_item_retried', payload: { by: 'human' } },
        { type: 'run_forked', payload: { path: enterAt ?? nextNode, attempt: 2, reopened: [] } },
        { type: 'work_item_resumed', payload: { verb: 'retry' } },
      ],
    });
  });

  test('enters at the beginning when the item stopped before its first node', () => {
    expect(fork({ ...states.stopped, nextNode: null, prepared: false }, here)).toMatchObject({
      item: { nextNode: 'build', enterAt: null },
    });
  });

  test('names the known paths for an unknown one', () => {
    const decision = fork(states.stopped, at('checks.fast'));

    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'KRAFT_CHAIN_PATH_UNKNOWN' } });
    expect(decision.kind === 'refused' ? decision.error.message : '').toContain(
      'build, build.main, build.main.agent, checks, checks.quick, checks.quick.lint',
    );
  });

  test('goes back and never ahead, also where the item’s own node is gone from the chain', () => {
    expect(outcomeOf(fork(states.stopped, at('look')))).toBe('RETRY_PATH_AHEAD');
    expect(outcomeOf(fork(states.stopped, at('land.main')))).toBe('RETRY_PATH_AHEAD');
    const lost = { ...states.stopped, nextNode: 'gone' };
    expect(outcomeOf(fork(lost, here))).toBe('CHAIN_PATH_UNKNOWN');
    expect(outcomeOf(fork(lost, at('land')))).toBe('RETRY_PATH_AHEAD');
    expect(outcomeOf(fork(lost, restart))).toBe('queued');
  });

  test('does not go around a part that may not be passed over', () => {
    const places = holding('checks.quick.lint');

    expect(outcomeOf(fork(states.stopped, at('checks.slow'), { places }))).toBe('PART_NOT_SKIPPABLE');
    expect(outcomeOf(fork(states.stopped, at('checks.quick.types'), { places }))).toBe('PART_NOT_SKIPPABLE');
    expect(outcomeOf(fork(states.stopped, at('checks.quick'), { places }))).toBe('queued');
  });

  test('is no answer to a gate, and goes back from one', () => {
    expect(outcomeOf(fork(states.gate, here))).toBe('ITEM_AT_GATE');
    expect(fork(states.gate, at('checks'))).toMatchObject({ item: { nextNode: 'checks' } });
  });

  test('reopens the gates behind the point that had been approved', () => {
    const item = { ...states.stopped, nextNode: 'land' };
    const gates: Gates = new Map([['look', 'approved']]);

    expect(fork(item, at('build'), { gates })).toMatchObject({
      events: expect.arrayContaining([
        { type: 'run_forked', payload: { path: 'build', attempt: 2, reopened: ['look'] } },
        { type: 'gate_reopened', payload: { gate: 'look' } },
      ]) as unknown,
    });
    expect(fork(item, at('look'), { gates })).toMatchObject({
      events: expect.arrayContaining([{ type: 'gate_reopened', payload: { gate: 'look' } }]) as unknown,
    });
    expect(JSON.stringify(fork(item, here, { gates }))).not.toContain('gate_reopened');
  });

  test('resets what the loop has tried for a person, and counts on for the worker itself', () => {
    const fixLoop = { nodeId: 'checks', cycle: 2, phase: 'repair', fingerprints: ['a'], failures: [] } as const;
    const item = { ...states.stopped, fixLoop, skipped: ['checks.quick.lint'], recovered: ['checks'] };

    expect(fork(item, here)).toMatchObject({ item: { fixLoop: null, skipped: [], recovered: [] } });
    expect(fork(item, { ...here, by: 'agent' })).toMatchObject({
      item: { fixLoop },
      events: [{ payload: { by: 'agent' } }, {}, {}],
    });
  });
});
