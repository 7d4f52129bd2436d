import { describe, expect, test } from 'vitest';
import type { LogReading } from '../../src/harness/index.ts';
import { dailyCap, meetCaps } from '../../src/items/index.ts';
import { nothingSpent, spendOfReading, spendOfResult, sumReadings, unpricedEvent } from '../../src/walk/spend.ts';

const silent: LogReading = {
  agentSession: null,
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
  rateLimit: null,
};

describe('what a session used', () => {
  test('counts what is written into a cache as input, and keeps what is read from it apart', () => {
    const reading = { ...silent, inputTokens: 10, cacheWriteTokens: 5, cacheReadTokens: 900, outputTokens: 7 };
    expect(spendOfReading(reading)).toMatchObject({ inputTokens: 15, cachedTokens: 900, outputTokens: 7 });
  });

  test('is null where nothing was said, and not zero', () => {
    expect(spendOfReading(silent)).toEqual(nothingSpent);
    expect(spendOfResult(null)).toEqual(nothingSpent);
  });

  test('of several runs of one session of the agent’s is their sum', () => {
    const row = { ...nothingSpent, model: 'm', inputTokens: 10, cachedTokens: 3, outputTokens: 2 };
    expect(sumReadings('s-1', [row, { ...row, costUsd: 0.5 }])).toEqual({
      ...silent,
      agentSession: 's-1',
      model: 'm',
      inputTokens: 20,
      cacheReadTokens: 6,
      outputTokens: 4,
      costUsd: 0.5,
    });
  });
});

describe('unpricedEvent', () => {
  const bound = meetCaps([], { defaults: null, dailyUsd: dailyCap(50) });
  const free = meetCaps([], { defaults: null, dailyUsd: null });
  const used = { ...nothingSpent, model: 'm', inputTokens: 10 };

  test('tells of tokens without a price under a budget in dollars alone', () => {
    expect(unpricedEvent('s1', used, bound)).toMatchObject({ payload: { session_id: 's1', model: 'm' } });
    expect(unpricedEvent('s1', used, free)).toBeNull();
    expect(unpricedEvent('s1', { ...used, costUsd: 0 }, bound)).toBeNull();
    expect(unpricedEvent('s1', nothingSpent, bound)).toBeNull();
  });
});
