import { describe, expect, it } from 'vitest';
import { watchRelay } from '../../src/relay/watch.ts';
import type { ContainerState, Engine } from '../../src/runtime/index.ts';

const running: ContainerState = {
  id: 'a',
  running: true,
  pid: 1,
  exitCode: null,
  oomKilled: false,
  memoryLimitBytes: 0,
};

/** A relay whose engine answers these in turn, the last one for good. */
function watched(answers: (ContainerState | null | Error)[]) {
  const seen = { asked: 0, connected: false, lost: '' };
  const inspectContainer: Engine['inspectContainer'] = () => {
    const answer = answers[Math.min(seen.asked++, answers.length - 1)] ?? null;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const engine = { inspectContainer } as Engine;
  const watch = watchRelay({ engine, container: 'kraft-relay-x', connected: () => seen.connected, pollMs: 1 });
  void watch.lost.then((why) => (seen.lost = why));
  return { seen, watch };
}

describe('a relay that is watched', () => {
  it('is not lost while it speaks: the engine is not even asked', () => {
    const { seen, watch } = watched([null]);
    seen.connected = true;
    watch.look();
    expect(seen.asked).toBe(0);
  });

  it('is not lost because nothing is heard of it, nor because the engine gives no answer (PF-R11)', async () => {
    const { seen, watch } = watched([running, new Error('no answer'), running]);
    watch.look();
    await expect.poll(() => seen.asked, { timeout: 10_000 }).toBeGreaterThan(4);
    seen.connected = true;
    const { asked } = seen;
    watch.look();
    await expect.poll(() => seen.asked, { timeout: 10_000 }).toBeLessThanOrEqual(asked + 1);
    expect(seen.lost).toBe('');
    watch.stop();
  });

  it.each([
    ['its container was removed', null],
    ['its exit code is 137', { ...running, running: false, exitCode: 137 }],
    ['it was killed because it used more memory than its limit', { ...running, running: false, oomKilled: true }],
  ])('is lost once the engine says so: %s', async (why, state) => {
    const { seen, watch } = watched([running, state]);
    watch.look();
    await expect.poll(() => seen.lost, { timeout: 10_000 }).toBe(why);
    expect(seen.asked).toBe(2);
  });

  it('is not lost any more once nobody watches', async () => {
    const { seen, watch } = watched([running, running, running, null]);
    watch.look();
    await expect.poll(() => seen.asked, { timeout: 10_000 }).toBeGreaterThan(0);
    watch.stop();
    await expect.poll(() => seen.lost, { timeout: 10_000 }).toBe('');
  });
});
