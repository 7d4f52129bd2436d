import { describe, expect, test } from 'vitest';
import { nextVerb, pickByPrefix, pickNext, renderMergeCommand, renderNextCommand } from '../../src/items/index.ts';
import { sampleItem } from '../support/sample-item.ts';

test('the merge command is one that can be pasted, whatever the path', () => {
  expect(renderMergeCommand({ repo: '/srv/repo', branch: 'kraft/a-b' })).toBe('git -C /srv/repo merge kraft/a-b');
  expect(renderMergeCommand({ repo: "/srv/my re'po", branch: 'kraft/a-b' })).toBe(
    `git -C '/srv/my re'\\''po' merge kraft/a-b`,
  );
});

test('the next command is the verb that applies, or none', () => {
  expect(nextVerb(sampleItem())).toBe('start');
  expect(renderNextCommand(sampleItem({ started: true }))).toBe('kraft item resume abcd2345');
  expect(nextVerb(sampleItem({ status: 'needs_human' }))).toBe('retry');
  expect(renderNextCommand(sampleItem({ status: 'active' }))).toBeNull();
  expect(renderNextCommand(sampleItem({ status: 'completed' }))).toBeNull();
});

describe('pickByPrefix', () => {
  test('takes the only match, and an exact id among several', () => {
    const items = [sampleItem({ id: 'ab' }), sampleItem({ id: 'abc' })];
    expect(pickByPrefix('abc', [items[1]!]).id).toBe('abc');
    expect(pickByPrefix('ab', items).id).toBe('ab');
  });

  test('refuses none and several, naming them', () => {
    expect(() => pickByPrefix('x', [])).toThrow(expect.objectContaining({ code: 'KRAFT_ITEM_UNKNOWN' }));
    expect(() => pickByPrefix('a', [sampleItem({ id: 'ab' }), sampleItem({ id: 'ac' })])).toThrow(
      expect.objectContaining({ code: 'KRAFT_ITEM_AMBIGUOUS', message: expect.stringContaining('ab, ac') as string }),
    );
  });
});

describe('pickNext', () => {
  const queued = (id: string, updatedAt: string) => sampleItem({ id, status: 'queued', updatedAt });

  test('fills free slots with those that wait longest', () => {
    const items = [
      queued('late', '2026-01-03'),
      sampleItem({ id: 'busy', status: 'active' }),
      queued('early', '2026-01-01'),
      queued('mid', '2026-01-02'),
      sampleItem({ id: 'stopped', status: 'needs_human' }),
    ];
    expect(pickNext(items, { maxConcurrent: 3 }).map((item) => item.id)).toEqual(['early', 'mid']);
    expect(pickNext(items, { maxConcurrent: 1 })).toEqual([]);
  });

  test('starts nothing when the limit was lowered under what runs', () => {
    const items = [sampleItem({ status: 'active' }), sampleItem({ status: 'active' }), queued('q', '1')];
    expect(pickNext(items, { maxConcurrent: 1 })).toEqual([]);
  });
});
