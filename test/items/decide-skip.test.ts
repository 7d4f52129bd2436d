import { describe, expect, test } from 'vitest';
import { decideSkip, type Item, type Skip } from '../../src/items/index.ts';
import { chain, holding, outcomeOf, states } from './states.ts';

const skip = (
  item: Item,
  asked: Partial<Skip> = {},
  more: { places?: typeof chain; passed?: readonly string[] } = {},
): ReturnType<typeof decideSkip> =>
  decideSkip(
    item,
    { by: 'human', path: item.nextNode, note: 'Looked at by hand.', ...asked },
    { chain: more.places ?? chain, passed: more.passed ?? [] },
  );

describe('decideSkip', () => {
  test.each<[keyof typeof states, string]>([
    ['filed', 'ITEM_NOT_STARTED'],
    ['paused', 'stays'],
    ['queued', 'SKIP_RUNNING'],
    ['preparing', 'SKIP_RUNNING'],
    ['active', 'SKIP_RUNNING'],
    ['pausing', 'SKIP_RUNNING'],
    ['limited', 'queued'],
    ['gate', 'queued'],
    ['stopped', 'queued'],
    ['retried', 'SKIP_RUNNING'],
    ['completed', 'ITEM_ENDED'],
    ['abandoned', 'ITEM_ENDED'],
    ['archived', 'ITEM_ENDED'],
  ])('on an item that is %s: %s', (state, expected) => {
    expect(outcomeOf(skip(states[state]))).toBe(expected);
  });

  test('passes over the node at which the item stands', () => {
    expect(skip(states.stopped)).toMatchObject({
      item: { status: 'queued', stop: null, skipped: ['checks'] },
      events: [
        { type: 'node_skipped', payload: { node_id: 'checks', gate: false, note: 'Looked at by hand.', by: 'human' } },
        { type: 'work_item_resumed', payload: { by: 'human', verb: 'skip' } },
      ],
    });
  });

  test('counts a gate as passed, and says that it was one', () => {
    expect(skip(states.gate)).toMatchObject({
      item: { skipped: ['look'] },
      events: [{ type: 'node_skipped', payload: { node_id: 'look', gate: true } }, {}],
    });
  });

  test.each(['checks.slow', 'checks.quick.lint'])('passes over a part of the node: %s', (path) => {
    expect(skip(states.stopped, { path })).toMatchObject({
      item: { skipped: [path] },
      events: [{ type: 'scope_skipped', payload: { node_id: 'checks', path, note: 'Looked at by hand.' } }, {}],
    });
  });

  test('leaves a paused item paused', () => {
    expect(skip(states.paused)).toEqual({
      kind: 'change',
      item: { skipped: ['checks'], fixLoop: null },
      events: [expect.objectContaining({ type: 'node_skipped' })],
    });
  });

  test('measures what is left of a node before anything more of it is repaired', () => {
    const fixLoop = { nodeId: 'checks', cycle: 2, phase: 'repair', fingerprints: ['a'], failures: [] } as const;

    expect(skip({ ...states.stopped, fixLoop }, { path: 'checks.slow' })).toMatchObject({
      item: { fixLoop: { cycle: 2, phase: 'measure' } },
    });
  });

  test.each<[string, Item]>([
    ['still has to get there', { ...states.stopped, status: 'queued', skipped: ['checks'] }],
    ['has left it', { ...states.active, nextNode: 'look' }],
    ['has stopped further on', { ...states.gate }],
    ['was completed by it', { ...states.completed }],
  ])('does nothing a second time when the walk %s', (_name, item) => {
    expect(skip(item, { path: 'checks' }, { passed: ['checks'] }).kind).toBe('nothing');
  });

  test('refuses parts of other nodes, naming those that can be meant', () => {
    const decision = skip(states.stopped, { path: 'land' });

    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'KRAFT_SKIP_ELSEWHERE' } });
    expect(decision.kind === 'refused' ? decision.error.remedy : '').toContain('checks, checks.quick');
  });

  test('has nothing to pass over before the worktree stands', () => {
    expect(outcomeOf(skip({ ...states.stopped, nextNode: null, prepared: false }))).toBe('NOTHING_TO_SKIP');
    expect(outcomeOf(skip({ ...states.stopped, nextNode: 'build', prepared: false }))).toBe('NOTHING_TO_SKIP');
  });

  test.each([
    ['itself', 'checks', 'checks'],
    ['something in it', 'checks.slow.tests', 'checks'],
    ['what it is a part of', 'checks', 'checks.quick.lint'],
  ])('refuses what may not be passed over, for the sake of %s', (_name, part, path) => {
    const decision = skip(states.stopped, { path }, { places: holding(part) });

    expect(decision.kind === 'refused' ? decision.error.message : '').toBe(
      `${part} may not be passed over: \`skippable: false\` (/c/mine.yaml:9).`,
    );
  });

  test('asks for a note', () => {
    expect(outcomeOf(skip(states.stopped, { note: '  ' }))).toBe('REVIEW_TEXT_INVALID');
  });
});
