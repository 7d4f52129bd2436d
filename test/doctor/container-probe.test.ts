import { describe, expect, it } from 'vitest';
import {
  decideLimitsInForce,
  parseContainerProbe,
  planContainerProbe,
  readsProxyVariables,
  type SeenInside,
} from '../../src/doctor/container-probe.ts';
import type { ContainerLimits, ContainerSpec } from '../../src/runtime/index.ts';
import { gib, inside } from './ground.ts';

function plan(overrides: Partial<Parameters<typeof planContainerProbe>[0]> = {}): ContainerSpec {
  return planContainerProbe({
    home: '/home/you/.kraft',
    image: 'agent:1',
    marker: 'feed',
    user: { user: '1000:1000', userNamespace: 'keep-id', uid: 1000, gid: 1000 },
    limits: { cpu: 2, memoryBytes: gib, closeSwap: true, pids: 4096 },
    selinux: 'relabel',
    directory: '/run/d',
    caFile: '/run/ca.pem',
    ...overrides,
  });
}

describe('the container that looks around', () => {
  it('runs as a launch would: its user, limits and labels, and no network', () => {
    expect(plan()).toMatchObject({
      user: '1000:1000',
      userNamespace: 'keep-id',
      limits: { cpu: 2, memoryBytes: gib, closeSwap: true, pids: 4096 },
      selinux: 'relabel',
      network: 'none',
      labels: { 'kraft.home': '/home/you/.kraft', 'kraft.role': 'probe' },
    });
  });

  it('never fetches an image and gets no variable', () => {
    expect(plan()).toMatchObject({ pull: 'never', envNames: [], envLiterals: {} });
  });

  it('gets one directory to write and the certificates to read, and nothing else', () => {
    expect(plan().mounts).toEqual([
      { source: '/run/d', target: '/kraft/probe', readOnly: false },
      { source: '/run/ca.pem', target: '/etc/kraft/ca-bundle.pem', readOnly: true },
    ]);
    expect(plan({ caFile: null }).mounts).toHaveLength(1);
  });
});

describe('its answer', () => {
  const text = Object.entries({ ...inside, end: 'here' })
    .map(([name, value]) => `feed ${name} ${value}`)
    .join('\n');

  it('is read by its marker, so that an image that prints words of its own is not believed', () => {
    const forged = `beef memory 1\nmemory 1\n${text}\nbeef write no\n`;
    expect(parseContainerProbe({ exitCode: 0, stdout: forged, stderr: '', timedOut: false }, 'feed')).toEqual({
      memory: String(gib),
      swap: '0',
      pids: '4096',
      cpu: '200000 100000',
      wrote: true,
      readsCa: false,
      node: 'v24.1.0',
    });
  });

  const without: readonly (readonly [string, Parameters<typeof parseContainerProbe>[0], string])[] = [
    ['it did not end', { exitCode: null, stdout: text, stderr: '', timedOut: true }, 'did not end'],
    ['it failed', { exitCode: 125, stdout: '', stderr: 'noise\nno space left\n', timedOut: false }, 'no space left'],
    ['it failed without a word', { exitCode: 126, stdout: '', stderr: '', timedOut: false }, 'code 126'],
    ['it stopped half way', { exitCode: 0, stdout: 'feed memory 1\n', stderr: '', timedOut: false }, 'code 0'],
  ];
  it.each(without)('is none when %s, and the reason is kept', (_what, result, why) => {
    expect(parseContainerProbe(result, 'feed')).toMatchObject({ why: expect.stringContaining(why) as unknown });
  });
});

describe('Node and the proxy variables (PF-P05)', () => {
  it.each([
    ['v24.0.0', true],
    ['v25.1.0', true],
    ['v22.21.0', true],
    ['v22.20.1', false],
    ['v23.9.0', false],
    ['v20.19.4', false],
    ['v8.0.0', false],
    ['none', true],
    ['', true],
  ])('%s finds its proxy, or is not there: %s', (node, reads) => {
    expect(readsProxyVariables(node)).toBe(reads);
  });
});

describe('a limit (PF-L05, PF-L08)', () => {
  const asked: ContainerLimits = { cpu: 1.5, memoryBytes: 6 * 1024 ** 2 + 1024, closeSwap: true, pids: 512 };
  const v2: SeenInside = {
    memory: String(6 * 1024 ** 2),
    swap: '0',
    pids: '512',
    cpu: '150000 100000',
    wrote: true,
    readsCa: false,
    node: 'none',
  };

  it('is in force when the kernel shows it inside, whole pages and both cgroup versions included', () => {
    expect(decideLimitsInForce(asked, v2)).toEqual([]);
    expect(decideLimitsInForce(asked, { ...v2, swap: String(6 * 1024 ** 2) })).toEqual([]);
  });

  const broken: readonly (readonly [string, Partial<SeenInside>, string])[] = [
    ['memory without a limit on cgroup v2', { memory: 'max' }, 'memory'],
    ['memory without a limit on cgroup v1', { memory: '9223372036854771712' }, 'memory'],
    ['memory with another limit', { memory: String(1024 ** 2) }, 'memory'],
    ['memory that nobody shows', { memory: 'none' }, 'memory'],
    ['swap left open on cgroup v2', { swap: 'max' }, 'swap'],
    ['swap left open on cgroup v1', { swap: '9223372036854771712' }, 'swap'],
    ['processes without a limit', { pids: 'max' }, 'pids'],
    ['processors without a limit on cgroup v2', { cpu: 'max 100000' }, 'cpu'],
    ['processors without a limit on cgroup v1', { cpu: '-1 100000' }, 'cpu'],
    ['processors that nobody shows', { cpu: 'none none' }, 'cpu'],
  ];
  it.each(broken)('is not in force: %s', (_what, seen, limit) => {
    const problems = decideLimitsInForce(asked, { ...v2, ...seen });
    expect(problems.map((p) => p.code)).toEqual(['KRAFT_LIMIT_NOT_SEEN']);
    expect(problems[0]?.message).toContain(`limit ${limit} `);
    expect(problems[0]?.remedy).toContain('Delegate=cpu cpuset io memory pids');
  });

  it('that was not asked for is not looked for', () => {
    const nothing = { cpu: null, memoryBytes: null, closeSwap: false, pids: null };
    const open = { ...v2, memory: 'max', swap: 'max', pids: 'max', cpu: 'max 100000' };
    expect(decideLimitsInForce(nothing, open)).toEqual([]);
    expect(decideLimitsInForce(asked, open)).toHaveLength(4);
  });
});
