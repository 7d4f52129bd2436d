import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import type { Item } from '../../src/items/index.ts';
import { sampleItem, sampleSession } from '../support/sample-item.ts';

let dir: string;
let store: Store;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kraft-store-'));
  store = await openStore({ path: join(dir, 'orchestrator.db'), clock: systemClock });
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

const started = (node: string) => ({
  event: { type: 'node_started', payload: { node_id: node } } as const,
  nodeId: node,
});
const file = (overrides: Partial<Item>): Promise<void> => store.createItem(sampleItem(overrides), []);
const ids = (items: readonly Item[]): readonly string[] => items.map((item) => item.id);

describe('the board of a store', () => {
  it('is empty in a new home', async () => {
    expect(await store.board({ repo: null, completedMax: 5 })).toEqual({
      seq: 0,
      items: [],
      sessions: [],
      events: [],
      spend: [],
    });
  });

  it('holds what has not ended and the last of what was completed, the last changed first', async () => {
    await file({ id: 'open2222', updatedAt: '2026-01-01T00:00:01Z' });
    await file({ id: 'runs2222', status: 'active', updatedAt: '2026-01-01T00:00:05Z' });
    await file({ id: 'gone2222', status: 'abandoned', updatedAt: '2026-01-01T00:00:09Z' });
    for (const at of [1, 2, 3]) {
      await file({ id: `done222${at}`, status: 'completed', updatedAt: `2026-01-01T00:00:1${at}Z` });
    }
    await file({
      id: 'arch2222',
      status: 'completed',
      archivedAt: '2026-01-02T00:00:00Z',
      updatedAt: '2026-01-02T00:00:00Z',
    });
    await file({ id: 'else2222', repo: '/srv/other', updatedAt: '2026-01-01T00:00:07Z' });
    expect(ids((await store.board({ repo: null, completedMax: 2 })).items)).toEqual([
      'else2222',
      'runs2222',
      'open2222',
      'done2223',
      'done2222',
    ]);
    expect(ids((await store.board({ repo: '/srv/other', completedMax: 2 })).items)).toEqual(['else2222']);
  });

  it('tells of each item the sessions that wait or run, the last event, and what agents said they used', async () => {
    await file({ id: 'abcd2345', status: 'active' });
    await file({ id: 'mute2222' });
    const change = { item: {}, expectStatus: null };
    await store.apply({
      ...change,
      itemId: 'abcd2345',
      sessions: [
        sampleSession({ id: 's1', status: 'done', inputTokens: 10, outputTokens: 5, costUsd: 0.25 }),
        sampleSession({ id: 's2', status: 'running', cachedTokens: 100 }),
        sampleSession({ id: 's3', status: 'pending' }),
      ],
      events: [started('one'), started('two')],
    });
    await store.apply({ ...change, itemId: 'mute2222', sessions: [], events: [started('three')] });
    const board = await store.board({ repo: null, completedMax: 0 });
    expect(board.seq).toBe(3);
    expect(board.sessions.map((session) => session.id)).toEqual(['s2', 's3']);
    expect(board.events.map((event) => [event.work_item_id, event.seq])).toEqual([
      ['abcd2345', 2],
      ['mute2222', 3],
    ]);
    expect(board.spend).toEqual([{ itemId: 'abcd2345', tokens: 115, costUsd: 0.25 }]);
  });
});
