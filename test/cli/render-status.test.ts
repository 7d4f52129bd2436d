import { describe, expect, it } from 'vitest';
import type { ItemStop, PublicItem } from '../../src/compose/index.ts';
import { renderStatus, renderStatusLong, renderStatusNow } from '../../src/cli/render-status.ts';
import { renderLocalTime } from '../../src/cli/render-time.ts';
import { samplePublicItem } from '../support/fake-kraft.ts';

const stop = (kind: ItemStop['kind']): ItemStop => ({
  kind,
  code: null,
  reason: 'r',
  remedy: '',
  sessionId: null,
  facts: {},
});
const rows: readonly { item: Partial<PublicItem>; word: string; long: string; now: string }[] = [
  { item: { status: 'paused' }, word: 'filed', long: 'filed', now: 'filed' },
  { item: { status: 'paused', started: true }, word: 'paused', long: 'paused', now: 'paused' },
  { item: { status: 'queued' }, word: 'waiting', long: 'waiting for a slot', now: 'waiting for a slot' },
  { item: { status: 'active' }, word: 'running', long: 'running', now: 'running' },
  { item: { status: 'active', pauseRequested: true }, word: 'pausing', long: 'pausing', now: 'pausing' },
  {
    item: { status: 'rate_limited', resumesAt: '2026-01-02T04:00:00.000Z' },
    word: 'rate-limited',
    long: `waiting for a rate limit until ${renderLocalTime('2026-01-02T04:00:00.000Z')}`,
    now: 'waiting for a rate limit',
  },
  {
    item: { status: 'needs_human', stop: stop('gate') },
    word: 'needs you',
    long: 'needs you: stopped for a person',
    now: 'stopped for a person',
  },
  {
    item: { status: 'needs_human', stop: stop('config') },
    word: 'failed',
    long: 'failed: stopped for a person',
    now: 'stopped for a person',
  },
  { item: { status: 'completed' }, word: 'done', long: 'done', now: 'complete' },
  { item: { status: 'abandoned' }, word: 'abandoned', long: 'abandoned', now: 'ended' },
  {
    item: { status: 'completed', archivedAt: '2026-01-03T00:00:00Z' },
    word: 'archived',
    long: 'archived',
    now: 'archived',
  },
];

describe('the status of an item in words (CC 6.1, 5.1)', () => {
  it.each(rows)('calls $item $word', ({ item, word, long, now }) => {
    const whole = samplePublicItem(item);
    expect([renderStatus(whole), renderStatusLong(whole), renderStatusNow(whole)]).toEqual([word, long, now]);
  });

  it.each(['failed', 'config', 'infra'] as const)('calls a stop of kind %s failed', (kind) => {
    expect(renderStatus(samplePublicItem({ status: 'needs_human', stop: stop(kind) }))).toBe('failed');
  });

  it.each(['question', 'cap', 'budget', 'conflict', 'stuck', 'gate'] as const)(
    'says of a stop of kind %s that it needs you',
    (kind) => {
      expect(renderStatus(samplePublicItem({ status: 'needs_human', stop: stop(kind) }))).toBe('needs you');
    },
  );
});
