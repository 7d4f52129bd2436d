import { describe, expect, it } from 'vitest';
import { type MemoryEvidence, addMemoryReading, isHostShort, suggestMemory } from '../../src/limits/index.ts';

const nothing: MemoryEvidence = { kills: 0, peakBytes: null, hostKills: 0, hostLowestShare: null };
const before = { kills: 3, availableShare: 0.5 };

describe('what was seen of a container’s memory', () => {
  it('keeps the most kills, the highest peak and the least that the machine had left', () => {
    const first = addMemoryReading(nothing, { kills: 1, peakBytes: 900 }, { before, now: { ...before, kills: 4 } });
    const second = addMemoryReading(
      first,
      { kills: 1, peakBytes: 400 },
      { before, now: { kills: 4, availableShare: 0.02 } },
    );
    expect(second).toEqual({ kills: 1, peakBytes: 900, hostKills: 1, hostLowestShare: 0.02 });
  });

  it('stands when the cgroup is gone', () => {
    const seen = { kills: 1, peakBytes: 900, hostKills: 1, hostLowestShare: 0.4 };
    expect(addMemoryReading(seen, null, { before, now: { kills: null, availableShare: null } })).toEqual(seen);
  });

  it.each<[string, Partial<MemoryEvidence>, boolean]>([
    ['no kill of its own, one on the machine, nothing left', { hostKills: 1, hostLowestShare: 0.02 }, true],
    ['a kill that its own cgroup counted', { kills: 1, hostKills: 1, hostLowestShare: 0.02 }, false],
    ['a kill elsewhere while there was plenty', { hostKills: 1, hostLowestShare: 0.3 }, false],
    ['a machine that was short and killed nothing', { hostLowestShare: 0.02 }, false],
    ['a machine whose memory could not be read', { hostKills: 1 }, false],
  ])('tells a shortage of the machine: %s', (_, over, short) => {
    expect(isHostShort({ ...nothing, ...over })).toBe(short);
  });

  it.each([
    [48 * 1024 ** 2, null, 96 * 1024 ** 2],
    [48 * 1024 ** 2, 49 * 1024 ** 2, 98 * 1024 ** 2],
    [6_291_457, null, 13 * 1024 ** 2],
  ])('suggests after %i with a peak of %s a limit of %i', (limit, peak, next) => {
    expect(suggestMemory(limit, peak)).toBe(next);
  });
});
