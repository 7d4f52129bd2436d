import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/index.ts';
import {
  createEngineProbe,
  identityTimeoutMs,
  inconclusiveTtlMs,
  planUser,
  probeTimeoutMs,
  runtimeErrors,
  type Engine,
  type EngineFacts,
  type EngineProbe,
} from '../../src/runtime/index.ts';
import { fakeFacts } from '../support/fake-engine.ts';

const rootless: EngineFacts = { ...fakeFacts, kind: 'podman', rootless: true };
const unknown: EngineFacts = { ...rootless, rootless: 'unknown', appliesSelinuxLabels: 'unknown' };
const noLimits: EngineFacts = { ...rootless, enforceable: 'unknown' };
const down = runtimeErrors.create('ENGINE_UNREACHABLE', { attempts: [{ cli: 'podman', endpoint: null, why: 'down' }] });

/** A probe over an engine that gives these answers one after the other, the last one for good. */
function probeOf(...answers: readonly (EngineFacts | Error)[]): {
  probe: EngineProbe;
  asked: number[];
  pass(ms: number): void;
} {
  const asked: number[] = [];
  const time = { ms: 0 };
  const clock: Clock = { nowMs: () => time.ms, monotonicMs: () => time.ms };
  const engine = {
    cli: '/usr/bin/podman',
    probe: (timeoutMs: number): Promise<EngineFacts> => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(timeoutMs);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? unknown);
    },
  } as unknown as Engine;
  return { probe: createEngineProbe(engine, clock), asked, pass: (ms) => (time.ms += ms) };
}

describe('the kept answers of an engine', () => {
  it('are asked for once, also by several at the same time (SI 1.3)', async () => {
    const { probe, asked } = probeOf(rootless);
    await Promise.all([probe.facts(), probe.probeForLaunch(), probe.probeForLaunch()]);
    await probe.facts();
    expect(asked).toEqual([probeTimeoutMs]);
  });

  it('without an identity refuse the launch, after one longer ask (SI-9.2 B2)', async () => {
    const { probe, asked } = probeOf(unknown);
    await expect(probe.probeForLaunch()).rejects.toMatchObject({ code: 'KRAFT_ENGINE_IDENTITY_UNKNOWN' });
    expect(asked).toEqual([probeTimeoutMs, identityTimeoutMs]);
  });

  it('without an identity are not asked for again by what needs no launch (SI-9.2 B2)', async () => {
    const { probe, asked } = probeOf(unknown);
    expect((await probe.facts())?.rootless).toBe('unknown');
    await probe.facts();
    expect(asked).toEqual([probeTimeoutMs]);
  });

  it('map the user once the longer ask was answered (SI-9.2 B2)', async () => {
    const { probe, asked } = probeOf(unknown, rootless);
    expect(planUser(await probe.probeForLaunch(), 1000, 1000)).toMatchObject({ userNamespace: 'keep-id' });
    expect(asked).toEqual([probeTimeoutMs, identityTimeoutMs]);
  });

  it('take one further ask in all, however many checks a launch makes (SI-9.2 B3, B4)', async () => {
    const { probe, asked } = probeOf(unknown);
    for (let check = 0; check < 3; check++)
      await expect(probe.probeForLaunch()).rejects.toMatchObject({ code: 'KRAFT_ENGINE_IDENTITY_UNKNOWN' });
    expect(asked).toHaveLength(2);
  });

  it('survive a refresh that brings no identity (SI-9.2 B5)', async () => {
    const { probe } = probeOf(rootless, unknown);
    await probe.probeForLaunch();
    expect(await probe.refresh()).toMatchObject({ rootless: true, appliesSelinuxLabels: false });
    expect((await probe.probeForLaunch()).rootless).toBe(true);
  });

  it('survive a time in which the engine was down (SI-9.2 B5)', async () => {
    const { probe } = probeOf(rootless, down, unknown);
    await probe.probeForLaunch();
    expect(await probe.refresh()).toBeNull();
    expect((await probe.probeForLaunch()).rootless).toBe(true);
  });

  it('are asked for again when an inconclusive answer is 30 s old (SI-9.2 B6)', async () => {
    const { probe, asked, pass } = probeOf(unknown, rootless);
    await probe.facts();
    pass(inconclusiveTtlMs - 1);
    expect((await probe.facts())?.rootless).toBe('unknown');
    pass(1);
    expect((await probe.facts())?.rootless).toBe(true);
    expect(asked).toEqual([probeTimeoutMs, probeTimeoutMs]);
  });

  it('are asked for again when only the limits were unknown, without holding the launch up (SI-9.3 C6)', async () => {
    const { probe, asked, pass } = probeOf(noLimits, rootless);
    expect((await probe.probeForLaunch()).enforceable).toBe('unknown');
    expect(asked).toEqual([probeTimeoutMs]);
    pass(inconclusiveTtlMs);
    expect((await probe.probeForLaunch()).enforceable).toEqual(rootless.enforceable);
  });

  it('are brought up to date by doctor, and then serve launches (SI-9.2 B7, SI-9.3 C6)', async () => {
    const { probe, asked } = probeOf(noLimits, rootless);
    await probe.probeForLaunch();
    await probe.refresh();
    expect((await probe.probeForLaunch()).enforceable).toEqual(rootless.enforceable);
    expect(asked).toEqual([probeTimeoutMs, probeTimeoutMs]);
  });

  it('name an engine that is down before an identity that is unknown (SI-9.2 B7)', async () => {
    const { probe, asked } = probeOf(down);
    await expect(probe.probeForLaunch()).rejects.toMatchObject({ code: 'KRAFT_ENGINE_UNREACHABLE' });
    expect(asked).toEqual([probeTimeoutMs, identityTimeoutMs]);
  });

  it('refuse launches on another machine, with the reason', async () => {
    const { probe } = probeOf({ ...rootless, remote: { endpoint: 'unix:///vm.sock', why: 'it is a VM' } });
    await expect(probe.probeForLaunch()).rejects.toMatchObject({
      code: 'KRAFT_ENGINE_REMOTE',
      message: expect.stringContaining('it is a VM') as string,
    });
  });

  it('pass on what is a fault of Kraft itself', async () => {
    const { probe } = probeOf(new TypeError('no'));
    await expect(probe.facts()).rejects.toThrow(TypeError);
  });
});
