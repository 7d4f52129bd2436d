import { describe, expect, test } from 'vitest';
import { decideRateLimit } from '../../src/items/index.ts';

const now = Date.UTC(2026, 0, 2, 12);
const minute = 60_000;
const day = 24 * 60 * minute;
const at = (ms: number): string => new Date(now + ms).toISOString();
const waited = (before: number): { readonly before: number; readonly retries: number } => ({ before, retries: 5 });

describe('decideRateLimit', () => {
  test.each<[string, readonly (string | null)[], number, number]>([
    ['until the earliest of several', [at(3 * 60 * minute), at(60 * minute)], 0, 60 * minute],
    ['at least a minute', [at(-60 * minute)], 0, minute],
    ['at most a week', [at(30 * day)], 0, 7 * day],
    ['five minutes when nobody says until when', [null], 0, 5 * minute],
    ['twice as long each time that nobody says it', [null], 3, 40 * minute],
    ['for the one that says nothing, when that is sooner', [at(3 * 60 * minute), null], 1, 10 * minute],
    ['as if nothing was said, for what is no time', ['soon'], 0, 5 * minute],
    ['five minutes without any word at all', [], 0, 5 * minute],
  ])('waits %s', (_, resets, before, expectedMs) => {
    expect(decideRateLimit(now, resets, waited(before))).toEqual({ kind: 'wait', untilMs: now + expectedMs });
  });

  test('stops for a person after as many waits in a row as the policy allows', () => {
    expect(decideRateLimit(now, [at(minute)], waited(4)).kind).toBe('wait');
    expect(decideRateLimit(now, [at(minute)], waited(5))).toEqual({ kind: 'stop', times: 6 });
    expect(decideRateLimit(now, [null], { before: 0, retries: 0 })).toEqual({ kind: 'stop', times: 1 });
  });
});
