import { describe, expect, it } from 'vitest';
import { systemClock, toTimestamp } from '../../src/base/index.ts';

describe('time', () => {
  it('is stored as UTC RFC 3339 with milliseconds, whatever the zone', () => {
    expect(toTimestamp(0)).toBe('1970-01-01T00:00:00.000Z');
    expect(toTimestamp(Date.UTC(2026, 1, 3, 4, 5, 6, 7))).toBe('2026-02-03T04:05:06.007Z');
  });

  it('sorts as text', () => {
    const times = [1, 1_000, 1_700_000_000_000, 1_700_000_000_001].map(toTimestamp);
    expect([...times].sort()).toEqual(times);
  });

  it('of the monotonic clock never goes back and is no wall time', () => {
    const readings = Array.from({ length: 100 }, () => systemClock.monotonicMs());
    expect([...readings].sort((a, b) => a - b)).toEqual(readings);
    expect(systemClock.nowMs() - systemClock.monotonicMs()).toBeGreaterThan(1_000_000_000_000);
  });
});
