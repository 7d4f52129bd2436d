import { describe, expect, it } from 'vitest';
import type { ChainNode } from '../../src/chain/index.ts';
import { sumSpend } from '../../src/compose/item-view.ts';
import { readBoard } from '../../src/compose/list-items.ts';
import { viewNodes } from '../../src/compose/node-views.ts';
import type { Item } from '../../src/items/index.ts';
import type { BoardRows, Store } from '../../src/store/index.ts';
import { sampleEvent } from '../support/fake-kraft.ts';
import { sampleItem, sampleSession } from '../support/sample-item.ts';

const part = (path: string) => ({ path, policy: [], skippable: true });
const exec = (id: string, ...tasks: readonly string[]): ChainNode => ({
  ...part(id),
  kind: 'exec',
  id,
  steps: [
    {
      ...part(`${id}.main`),
      id: 'main',
      tasks: tasks.map((task) => ({
        ...part(`${id}.main.${task}`),
        kind: 'subprocess' as const,
        command: 'true',
        onFailure: [],
      })),
      onFailure: [],
    },
  ],
  onFailure: [],
  fixLoop: null,
});
const gate: ChainNode = { ...part('review'), kind: 'gate', id: 'review', message: null, rejectTo: null };
const nodes = [exec('build', 'agent', 'lint'), gate, exec('last', 'tidy')];
const item = (overrides: Partial<Item>): Item => sampleItem({ frozenChain: JSON.stringify({ nodes }), ...overrides });
const states = (overrides: Partial<Item>): readonly string[] =>
  viewNodes(item(overrides), []).map((node) => node.state);

describe('viewNodes', () => {
  it.each<{ of: Partial<Item>; states: readonly string[] }>([
    { of: {}, states: ['to_come', 'to_come', 'to_come'] },
    { of: { started: true }, states: ['paused', 'to_come', 'to_come'] },
    { of: { status: 'queued' }, states: ['waiting', 'to_come', 'to_come'] },
    { of: { status: 'active', nextNode: 'build' }, states: ['running', 'to_come', 'to_come'] },
    { of: { status: 'rate_limited', nextNode: 'last' }, states: ['done', 'done', 'waiting'] },
    { of: { status: 'needs_human', nextNode: 'build' }, states: ['stopped', 'to_come', 'to_come'] },
    { of: { status: 'needs_human', nextNode: 'review' }, states: ['done', 'asks', 'to_come'] },
    { of: { status: 'abandoned', nextNode: 'review' }, states: ['done', 'not_run', 'not_run'] },
    { of: { status: 'completed' }, states: ['done', 'done', 'done'] },
  ])('tells where each node of $of stands', ({ of, states: expected }) => {
    expect(states(of)).toEqual(expected);
  });

  it('gives each task its newest session, that of a run below it too, and says what was passed over', () => {
    const sessions = [
      sampleSession({ id: 's1', nodeId: 'build', task: 'build.main.agent', status: 'failed' }),
      sampleSession({ id: 's2', nodeId: 'build', task: 'build.main.agent', status: 'done' }),
      sampleSession({ id: 's3', nodeId: 'build', task: 'build.main.lint.1', status: 'running' }),
      sampleSession({ id: 's4', nodeId: 'last', task: 'build.main.agent', status: 'failed' }),
    ];
    const [build, , last] = viewNodes(item({ skipped: ['last'] }), sessions);
    expect(build?.tasks).toMatchObject([
      { path: 'build.main.agent', sessionId: 's2', status: 'done', skipped: false },
      { path: 'build.main.lint', sessionId: 's3', status: 'running' },
    ]);
    expect(last?.tasks).toMatchObject([{ path: 'last.main.tidy', sessionId: null, status: null, skipped: true }]);
  });

  it('knows no nodes of an item whose chain it cannot read', () => {
    expect(viewNodes(sampleItem(), [])).toEqual([]);
  });
});

describe('sumSpend', () => {
  it('sums what agents said and tells nothing from none', () => {
    expect(sumSpend([sampleSession(), sampleSession()])).toBeNull();
    expect(sumSpend([sampleSession({ inputTokens: 1, cachedTokens: 2 }), sampleSession({ outputTokens: 4 })])).toEqual({
      tokens: 7,
      costUsd: null,
    });
    expect(sumSpend([sampleSession({ costUsd: 0 })])).toEqual({ tokens: null, costUsd: 0 });
  });
});

describe('readBoard', () => {
  it('puts sessions, last event and use to their items, and keeps what is frozen inside', async () => {
    const rows: BoardRows = {
      seq: 7,
      items: [sampleItem({ frozen: '{"env":{"TOKEN":"s3cret"}}' }), sampleItem({ id: 'other222' })],
      sessions: [sampleSession({ status: 'running' })],
      events: [sampleEvent(7)],
      spend: [{ itemId: 'other222', tokens: 5, costUsd: null }],
    };
    const board = await readBoard({ board: () => Promise.resolve(rows) } as unknown as Store, null);
    expect(board.seq).toBe(7);
    expect(board.items).toMatchObject([
      { item: { id: 'abcd2345' }, sessions: [{ id: 's1' }], lastEvent: { seq: 7 }, spend: null },
      { item: { id: 'other222' }, sessions: [], lastEvent: null, spend: { tokens: 5 } },
    ]);
    expect(JSON.stringify(board)).not.toContain('s3cret');
  });
});
