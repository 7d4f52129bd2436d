import { describe, expect, test } from 'vitest';
import { decideFixLoop, normalizeOutput, runOf, type FixLoop } from '../../src/items/index.ts';

const bounds = { maxAttempts: 3, wallClockMs: 3_600_000 };
const failed = (fingerprint: string, usedMs = 0): Parameters<typeof decideFixLoop>[1] => ({
  nodeId: 'verification',
  failures: [],
  fingerprint,
  usedMs,
});
const after = (...fingerprints: string[]): FixLoop => ({
  nodeId: 'verification',
  cycle: fingerprints.length,
  phase: 'measure',
  fingerprints,
  failures: [],
});

describe('a fix loop (CC 6.6)', () => {
  test('begins its first repair after the first failed run', () => {
    expect(decideFixLoop(null, failed('a'), bounds)).toEqual({
      kind: 'repair',
      loop: { nodeId: 'verification', cycle: 1, phase: 'repair', fingerprints: ['a'], failures: [] },
    });
  });

  test('answers the same question the same way, so that a crash between question and record costs no attempt', () => {
    expect(decideFixLoop(after('a'), failed('b'), bounds)).toEqual(decideFixLoop(after('a'), failed('b'), bounds));
  });

  test.each([
    ['two equal failures go on', after('a'), 'a', 'repair'],
    ['three equal ones in a row, the first run included, are stuck', after('a', 'a'), 'a', 'stuck'],
    ['three equal ones with another between them are not', after('a', 'b'), 'a', 'repair'],
    ['the last three count, not the first', after('b', 'a', 'a'), 'a', 'stuck'],
    ['a fourth different failure has used up three repairs', after('a', 'b', 'c'), 'd', 'attempts'],
  ])('%s', (_, loop, fingerprint, expected) => {
    const decision = decideFixLoop(loop, failed(fingerprint), bounds);

    expect(decision.kind === 'stop' ? decision.why : decision.kind).toBe(expected);
  });

  test('stops when repairs have taken their time, and never before the first', () => {
    const tight = { ...bounds, wallClockMs: 1000 };

    expect(decideFixLoop(null, failed('a', 5000), tight).kind).toBe('repair');
    expect(decideFixLoop(after('a'), failed('b', 999), tight).kind).toBe('repair');
    expect(decideFixLoop(after('a'), failed('b', 1000), tight)).toEqual({ kind: 'stop', why: 'time', cycle: 1 });
  });
});

test('no two runs of a task share a number: cycles of its node’s loop and recoveries around it both count', () => {
  const at = (cycle: number, recovered: string[]): number =>
    runOf({ fixLoop: cycle === 0 ? null : { ...after(), cycle }, recovered }, 'verification.main.tests');

  expect([at(0, []), at(0, ['verification.main']), at(1, ['verification.main']), at(2, ['verification.main'])]).toEqual(
    [0, 1, 2, 3],
  );
  expect(at(0, ['verification.main.test', 'other'])).toBe(0);
  expect(runOf({ fixLoop: after('a'), recovered: [] }, 'implementation.main.agent')).toBe(0);
});

test('output that differs in colours, numbers and hashes alone reads alike; other words do not', () => {
  const one = normalizeOutput('\u001b[31m✗ 3 of 12 failed\u001b[0m in 1.25 s at 9f3c2ab');

  expect(one).toBe(normalizeOutput('✗ 4 of 12   failed in 0.9 s at 1b2c3d4e5'));
  expect(one).not.toBe(normalizeOutput('✗ 3 of 12 passed in 1.25 s at 9f3c2ab'));
});
