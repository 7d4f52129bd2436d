import { describe, expect, it } from 'vitest';
import { defaultPids, describeLimits, planLimits, type RequestedLimits } from '../../src/limits/index.ts';
import type { LimitName } from '../../src/runtime/index.ts';

const all: readonly LimitName[] = ['cpu', 'memory', 'swap', 'pids'];
const unset: RequestedLimits = { cpu: null, memoryBytes: null, pids: null };
const asked: RequestedLimits = { cpu: 2, memoryBytes: 4 * 1024 ** 3, pids: 512 };
function facts(
  enforceable: readonly LimitName[] | 'unknown',
  kind: 'docker' | 'podman' = 'docker',
): Parameters<typeof planLimits>[1] {
  return { kind, enforceable: enforceable === 'unknown' ? 'unknown' : new Set(enforceable) };
}

describe('the limits of a launch', () => {
  it.each([
    ['all enforced', asked, all, { cpu: 2, memoryBytes: 4 * 1024 ** 3, closeSwap: true, pids: 512 }],
    [
      'swap not enforced',
      asked,
      ['cpu', 'memory', 'pids'],
      { cpu: 2, memoryBytes: 4 * 1024 ** 3, closeSwap: false, pids: 512 },
    ],
    ['nothing asked', unset, all, { cpu: null, memoryBytes: null, closeSwap: false, pids: defaultPids }],
    ['nothing asked and nothing enforced', unset, [], { cpu: null, memoryBytes: null, closeSwap: false, pids: null }],
    [
      'nothing asked and nothing known',
      unset,
      'unknown',
      { cpu: null, memoryBytes: null, closeSwap: false, pids: null },
    ],
  ] as const)('are planned: %s (SI-9.3 C1, C2)', (...[, requested, enforceable, limits]) => {
    expect(planLimits(requested, facts(enforceable))).toEqual({ limits, refusal: null });
  });

  it('are 4096 processes unless asked otherwise (SI 6.2)', () => {
    expect(defaultPids).toBe(4096);
  });

  it.each([
    ['cpu', { ...unset, cpu: 0.5 }, '0.5'],
    ['memory', { ...unset, memoryBytes: 512 * 1024 ** 2 }, '512m'],
    ['pids', { ...unset, pids: 100 }, '100'],
  ] as const)(
    'refuse %s where it would be ignored, naming limit, value, controller and the way out (SI-9.3 C3, C4)',
    (...[limit, requested, value]) => {
      const others = all.filter((name) => name !== limit);
      const { refusal } = planLimits(requested, facts(others, 'podman'));
      expect(refusal).toMatchObject({ code: 'KRAFT_LIMIT_UNENFORCEABLE', kind: 'limit' });
      expect(refusal?.message).toContain(`resources.${limit}: ${value}`);
      expect(refusal?.message).toContain(`controller "${limit}"`);
      expect(refusal?.remedy).toMatch(/cgroup v2.*delegate\.conf.*Delegate=cpu cpuset io memory pids/u);
    },
  );

  it('refuse every limit that would be ignored in one error', () => {
    const { refusal } = planLimits(asked, facts([]));
    expect(refusal?.report.details).toMatchObject({ limit: 'cpu' });
    expect(refusal?.report.others.map((other) => other.details['limit'])).toEqual(['memory', 'pids']);
  });

  it('refuse what is asked when the engine gave no readable answer (SI-9.3 C6)', () => {
    const { refusal } = planLimits({ ...unset, pids: 9 }, facts('unknown'));
    expect(refusal).toMatchObject({ code: 'KRAFT_LIMIT_UNKNOWN' });
    expect(refusal?.message).toContain('could not tell');
  });
});

describe('what doctor says of the limits', () => {
  it.each([
    [all, 'cpu, memory, pids'],
    [['cpu', 'memory', 'pids'], 'cpu, memory (swap unbounded), pids'],
    [['pids'], 'pids'],
  ] as const)('%j is %s', (enforceable, text) => {
    expect(describeLimits(new Set<LimitName>(enforceable))).toBe(text);
  });

  it('is how to get some where there are none, and that it is not known', () => {
    expect(describeLimits(new Set())).toMatch(/no resource limits.*cgroup v2.*Delegate=/u);
    expect(describeLimits('unknown')).toContain('unknown');
  });
});
