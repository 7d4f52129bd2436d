import { describe, expect, it } from 'vitest';
import { parseDockerInfo } from '../../src/runtime/docker/parse-info.ts';
import { parseDockerEndpoint } from '../../src/runtime/docker/find-endpoint.ts';
import { parsePodmanInfo } from '../../src/runtime/podman/parse-answers.ts';
import type { LimitName } from '../../src/runtime/index.ts';

const host = { endpoint: 'unix:///run/docker.sock', kernelRelease: '6.18.44' };

// As engines answered, cut to what is read.
const dockerV1 = {
  ServerVersion: '20.10.24+dfsg1',
  KernelVersion: '6.18.44',
  OperatingSystem: 'Debian GNU/Linux 12 (bookworm)',
  Driver: 'overlay2',
  CgroupVersion: '1',
  SecurityOptions: ['name=seccomp,profile=default'],
  CpuCfsQuota: true,
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
};
// A hybrid machine answers as one on v1: its controllers are there, and its v2 mount is empty.
const dockerHybrid = { ...dockerV1, KernelVersion: '6.18.44', CgroupDriver: 'cgroupfs', KernelMemory: true };
const dockerV2 = {
  ...dockerV1,
  CgroupVersion: '2',
  CgroupDriver: 'systemd',
  SecurityOptions: ['name=apparmor', 'name=seccomp,profile=builtin', 'name=cgroupns'],
};
const dockerV2Rootless = {
  ...dockerV1,
  CgroupVersion: '2',
  SecurityOptions: ['name=seccomp,profile=builtin', 'name=rootless', 'name=cgroupns'],
  CpuCfsQuota: false,
};
const dockerV1Rootless = {
  ...dockerV1,
  SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'],
  CpuCfsQuota: false,
  MemoryLimit: false,
  SwapLimit: false,
  PidsLimit: false,
};
const dockerSelinux = {
  ...dockerV1,
  SecurityOptions: ['name=seccomp,profile=builtin', 'name=selinux', 'name=cgroupns'],
};
const podmanV1 = {
  host: {
    kernel: '6.18.44',
    serviceIsRemote: false,
    cgroupVersion: 'v1',
    cgroupControllers: ['cpuset', 'cpu', 'cpuacct', 'blkio', 'memory', 'devices', 'freezer', 'pids'],
    security: { rootless: false, selinuxEnabled: false },
  },
  version: { Version: '4.3.1' },
  store: { graphDriverName: 'overlay' },
};
function podman(over: Record<string, unknown>): unknown {
  return { ...podmanV1, host: { ...podmanV1.host, ...over } };
}

describe('what Docker says of itself', () => {
  it.each([
    ['rootful, cgroup v1', dockerV1, false, false, ['cpu', 'memory', 'swap', 'pids']],
    ['rootful, a hybrid machine', dockerHybrid, false, false, ['cpu', 'memory', 'swap', 'pids']],
    ['rootful, cgroup v2', dockerV2, false, false, ['cpu', 'memory', 'swap', 'pids']],
    [
      'rootful, a kernel without the memory controller',
      { ...dockerV1, MemoryLimit: false, SwapLimit: false },
      false,
      false,
      ['cpu', 'pids'],
    ],
    ['rootless, cgroup v2 without cpu (PF-L06)', dockerV2Rootless, true, false, ['memory', 'swap', 'pids']],
    ['rootless, cgroup v1', dockerV1Rootless, true, false, []],
    ['with SELinux labels', dockerSelinux, false, true, ['cpu', 'memory', 'swap', 'pids']],
    ['without swap accounting', { ...dockerV1, SwapLimit: false }, false, false, ['cpu', 'memory', 'pids']],
  ] as const)('%s is read (SI-9.3 C7)', (...[, info, rootless, appliesSelinuxLabels, enforceable]) => {
    expect(parseDockerInfo(info, host)).toMatchObject({
      kind: 'docker',
      serverVersion: '20.10.24+dfsg1',
      rootless,
      appliesSelinuxLabels,
      enforceable: new Set<LimitName>(enforceable),
      remote: null,
      storageDriver: 'overlay2',
    });
  });

  it.each([
    ['null', null],
    ['nothing', ''],
    ['garbage', 'Cannot connect'],
    ['no list', { ...dockerV1, SecurityOptions: 'name=rootless' }],
    ['a null list', { ...dockerV1, SecurityOptions: null }],
    ['an object', { ...dockerV1, SecurityOptions: { rootless: true } }],
    ['a list of other things', { ...dockerV1, SecurityOptions: [1] }],
  ])('%s leaves the identity unknown, never rootful (SI-9.2 B1)', (_, info) => {
    expect(parseDockerInfo(info, host)).toMatchObject({ rootless: 'unknown', appliesSelinuxLabels: 'unknown' });
  });

  it.each(['CpuCfsQuota', 'MemoryLimit', 'SwapLimit', 'PidsLimit'])(
    'without a word on %s leaves all limits unknown (SI-9.3 C7)',
    (name) => {
      expect(parseDockerInfo({ ...dockerV1, [name]: undefined }, host).enforceable).toBe('unknown');
      expect(parseDockerInfo({ ...dockerV1, [name]: 'true' }, host).enforceable).toBe('unknown');
    },
  );

  it.each([
    ['Docker Desktop', { ...dockerV1, OperatingSystem: 'Docker Desktop' }, 'Docker Desktop'],
    ['another kernel behind a local socket', { ...dockerV1, KernelVersion: '6.6.12-linuxkit' }, '6.6.12-linuxkit'],
  ])('%s is another machine (SI 1.3)', (_, info, word) => {
    expect(parseDockerInfo(info, host).remote?.why).toContain(word);
  });
});

describe('what Podman says of itself', () => {
  it.each([
    ['rootful, cgroup v1', podmanV1, false, false, ['cpu', 'memory', 'swap', 'pids']],
    [
      'rootful, a hybrid machine',
      podman({ cgroupVersion: 'v1', cgroupManager: 'cgroupfs' }),
      false,
      false,
      ['cpu', 'memory', 'swap', 'pids'],
    ],
    [
      'rootful, cgroup v2',
      podman({
        cgroupVersion: 'v2',
        cgroupControllers: ['cpuset', 'cpu', 'io', 'memory', 'hugetlb', 'pids', 'rdma', 'misc'],
      }),
      false,
      false,
      ['cpu', 'memory', 'swap', 'pids'],
    ],
    [
      'rootless, cgroup v1 (PF-L05)',
      podman({ cgroupControllers: [], security: { rootless: true, selinuxEnabled: false } }),
      true,
      false,
      [],
    ],
    [
      'rootless, cgroup v2 with all controllers delegated',
      podman({
        cgroupVersion: 'v2',
        cgroupControllers: ['cpuset', 'cpu', 'io', 'memory', 'pids'],
        security: { rootless: true, selinuxEnabled: false },
      }),
      true,
      false,
      ['cpu', 'memory', 'swap', 'pids'],
    ],
    [
      'rootless, cgroup v2 with memory and pids delegated (PF-L06)',
      podman({ cgroupControllers: ['memory', 'pids'], security: { rootless: true, selinuxEnabled: true } }),
      true,
      true,
      ['memory', 'swap', 'pids'],
    ],
    ['cpuset is not cpu', podman({ cgroupControllers: ['cpuset'] }), false, false, []],
  ] as const)('%s is read (SI-9.3 C7)', (...[, info, rootless, appliesSelinuxLabels, enforceable]) => {
    expect(parsePodmanInfo(info, host)).toMatchObject({
      kind: 'podman',
      serverVersion: '4.3.1',
      rootless,
      appliesSelinuxLabels,
      enforceable: new Set<LimitName>(enforceable),
      remote: null,
      storageDriver: 'overlay',
    });
  });

  it.each([
    ['null', null],
    ['garbage', 'true'],
    ['a list', []],
    ['one word of two', podman({ security: { rootless: true } })],
    ['words that are no booleans', podman({ security: { rootless: 'true', selinuxEnabled: 'false' } })],
  ])('%s leaves the identity unknown, never rootful (SI-9.2 B1)', (_, info) => {
    expect(parsePodmanInfo(info, host)).toMatchObject({ rootless: 'unknown', appliesSelinuxLabels: 'unknown' });
  });

  it.each([null, undefined, 'cpu memory', { cpu: true }])('%j as controllers leaves all limits unknown', (value) => {
    expect(parsePodmanInfo(podman({ cgroupControllers: value }), host).enforceable).toBe('unknown');
  });

  it.each([
    ['a remote service', podman({ serviceIsRemote: true }), 'client of a service'],
    ['another kernel', podman({ kernel: '6.1.0-fcos' }), '6.1.0-fcos'],
  ])('%s is another machine (SI 1.3)', (_, info, word) => {
    expect(parsePodmanInfo(info, host).remote?.why).toContain(word);
  });
});

describe('the endpoint of a Docker context (PF-D04)', () => {
  it.each([
    [
      '{"Host":"unix:///run/user/1000/docker.sock","SkipTLSVerify":false}',
      { kind: 'local', socketPath: '/run/user/1000/docker.sock' },
    ],
    ['{"Host":"tcp://127.0.0.1:2375"}', { kind: 'remote', host: 'tcp://127.0.0.1:2375' }],
    ['{"Host":"ssh://ada@build"}', { kind: 'remote', host: 'ssh://ada@build' }],
    ['{"Host":"npipe:////./pipe/docker_engine"}', { kind: 'remote', host: 'npipe:////./pipe/docker_engine' }],
  ])('%s is read', (text, endpoint) => {
    expect(parseDockerEndpoint(text)).toEqual(endpoint);
  });

  it.each(['', 'null', '{}', '{"Host":""}', 'context "x" does not exist'])('%j names none', (text) => {
    expect(parseDockerEndpoint(text).kind).toBe('unknown');
  });
});
