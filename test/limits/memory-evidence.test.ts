import { describe, expect, it } from 'vitest';
import {
  type MemoryEvidence,
  addMemoryReading,
  isHostShort,
  isLimitKill,
  nothingSeen,
  suggestMemory,
} from '../../src/limits/index.ts';

const before = { kills: 3, availableShare: 0.5 };

describe('what was seen of a container’s memory', () => {
  it('keeps the most kills, the highest peak and the least that the machine had left', () => {
    const first = addMemoryReading(
      nothingSeen,
      { kills: 1, limitMet: true, peakBytes: 900 },
      { before, now: { ...before, kills: 4 } },
    );
    const second = addMemoryReading(
      first,
      { kills: 1, limitMet: null, peakBytes: 400 },
      { before, now: { kills: 4, availableShare: 0.02 } },
    );
    expect(second).toEqual({ kills: 1, limitMet: true, peakBytes: 900, hostKills: 1, hostLowestShare: 0.02 });
  });

  it('stands when the cgroup is gone', () => {
    const seen = { kills: 1, limitMet: false, peakBytes: 900, hostKills: 1, hostLowestShare: 0.4 };
    expect(addMemoryReading(seen, null, { before, now: { kills: null, availableShare: null } })).toEqual(seen);
  });

  it.each<[string, Partial<MemoryEvidence>, boolean]>([
    ['a kill at the limit', { kills: 1, limitMet: true }, true],
    ['a kill of which nothing tells more', { kills: 1 }, true],
    ['a kill far from the limit', { kills: 1, limitMet: false }, false],
    ['a limit that was met and killed nothing', { limitMet: true }, false],
  ])('tells a kill by the limit: %s', (_, over, byLimit) => {
    expect(isLimitKill({ ...nothingSeen, ...over })).toBe(byLimit);
  });

  it.each<[string, Partial<MemoryEvidence>, boolean]>([
    ['no kill of its own, one on the machine, nothing left', { hostKills: 1, hostLowestShare: 0.02 }, true],
    ['a kill by its own limit', { kills: 1, limitMet: true, hostKills: 1, hostLowestShare: 0.02 }, false],
    ['a kill of its own far from the limit, whatever the machine had left', { kills: 1, limitMet: false }, true],
    ['a kill elsewhere while there was plenty', { hostKills: 1, hostLowestShare: 0.3 }, false],
    ['a machine that was short and killed nothing', { hostLowestShare: 0.02 }, false],
    ['a machine whose memory could not be read', { hostKills: 1 }, false],
  ])('tells a shortage of the machine: %s', (_, over, short) => {
    expect(isHostShort({ ...nothingSeen, ...over })).toBe(short);
  });

  it.each([
    [48 * 1024 ** 2, null, 96 * 1024 ** 2],
    [48 * 1024 ** 2, 49 * 1024 ** 2, 98 * 1024 ** 2],
    [6_291_457, null, 13 * 1024 ** 2],
  ])('suggests after %i with a peak of %s a limit of %i', (limit, peak, next) => {
    expect(suggestMemory(limit, peak)).toBe(next);
  });
});
