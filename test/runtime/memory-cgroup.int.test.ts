import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findMemoryCgroup, locateMemoryCgroup, readHostMemory, readMemory } from '../../src/runtime/index.ts';

const id = '7a33602e5f4c12a9d464a6933921788242714fad672e13cfe2afe77ec7b39880';
const v1Mount = '36 32 0:31 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory';
const otherMount = '37 32 0:32 / /sys/fs/cgroup/cpu rw,nosuid - cgroup cgroup rw,cpu,cpuacct';
const hybridMount = '42 32 0:29 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate';
const v2Mount = '35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot';

function plant(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'kraft-cgroup-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('where the kernel counts a container’s memory', () => {
  it.each<[string, string, readonly string[], ReturnType<typeof locateMemoryCgroup>]>([
    [
      'Docker on cgroup v1',
      `9:name=systemd:/docker/${id}\n4:memory:/docker/${id}\n2:cpu,cpuacct:/docker/${id}\n`,
      [otherMount, v1Mount],
      { version: 1, dir: `/sys/fs/cgroup/memory/docker/${id}` },
    ],
    [
      'a hybrid machine, whose v2 hierarchy has no controllers',
      `4:memory:/libpod_parent/libpod-${id}\n0::/libpod_parent/libpod-${id}\n`,
      [hybridMount, v1Mount],
      { version: 1, dir: `/sys/fs/cgroup/memory/libpod_parent/libpod-${id}` },
    ],
    [
      'Docker on cgroup v2 under systemd',
      `0::/system.slice/docker-${id}.scope\n`,
      [v2Mount],
      { version: 2, dir: `/sys/fs/cgroup/system.slice/docker-${id}.scope` },
    ],
    [
      'rootless Podman on cgroup v2 with crun, whose process lies below the limit',
      `0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${id}.scope/container\n`,
      [v2Mount],
      {
        version: 2,
        dir: `/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${id}.scope`,
      },
    ],
    [
      'a machine that sees a part of the hierarchy',
      `0::/lxc/outer/docker/${id}\n`,
      [v2Mount.replace(' / ', ' /lxc/outer ')],
      { version: 2, dir: `/sys/fs/cgroup/docker/${id}` },
    ],
    ['a process that took over the number', '0::/user.slice/session-3.scope\n', [v2Mount], null],
    ['a path outside of what this namespace sees', `0::/../docker/${id}\n`, [v2Mount], null],
    ['a part of the hierarchy that is not mounted', `0::/docker/${id}\n`, [v2Mount.replace(' / ', ' /lxc ')], null],
    ['a controller that is mounted nowhere', `4:memory:/docker/${id}\n`, [otherMount], null],
    ['no cgroups at all', '', [v2Mount], null],
  ])('is found for %s', (_, cgroups, mounts, found) => {
    expect(locateMemoryCgroup(cgroups, mounts.join('\n'), id)).toEqual(found);
  });
});

describe('what the kernel counted', () => {
  it('is read from the files of cgroup v1', async () => {
    const root = plant({
      'proc/41/cgroup': `4:memory:/docker/${id}\n`,
      'proc/self/mountinfo': `${v1Mount}\n`,
      [`sys/fs/cgroup/memory/docker/${id}/memory.oom_control`]: 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
      [`sys/fs/cgroup/memory/docker/${id}/memory.max_usage_in_bytes`]: '50331648\n',
      [`sys/fs/cgroup/memory/docker/${id}/memory.limit_in_bytes`]: '50331648\n',
    });
    const cgroup = await findMemoryCgroup(root, 41, id);
    expect(cgroup === null ? null : readMemory(cgroup)).toEqual({ kills: 2, limitMet: true, peakBytes: 50_331_648 });
  });

  it.each([
    ['a limit that was never near', '50331648', '20000000', false],
    ['a limit that a failed allocation of some pages stayed under', '50331648', '50311168', true],
    ['no limit at all', '9223372036854771712', '50331648', false],
    ['no word on the limit', 'x', '50331648', null],
  ])('on cgroup v1 tells by the peak whether its limit was met: %s', (_, limit, peak, limitMet) => {
    const dir = plant({
      'memory.oom_control': 'oom_kill 1\n',
      'memory.max_usage_in_bytes': `${peak}\n`,
      'memory.limit_in_bytes': `${limit}\n`,
    });
    expect(readMemory({ version: 1, dir })).toMatchObject({ kills: 1, limitMet });
  });

  it.each([
    ['its own limit', 'max 19\noom 1\noom_kill 1\noom_group_kill 0\n', true],
    ['the machine, or a group above it', 'max 0\noom 0\noom_kill 1\n', false],
    ['a limit that was only reclaimed under', 'max 19\noom 0\noom_kill 1\n', false],
    ['a kernel that does not tell', 'oom_kill 1\n', null],
  ])('on cgroup v2 tells by `oom` whether it was killed for its own limit: %s', (_, events, limitMet) => {
    expect(readMemory({ version: 2, dir: plant({ 'memory.events': events }) })).toMatchObject({ kills: 1, limitMet });
  });

  it('is read from the files of cgroup v2, with and without a peak', async () => {
    const dir = `sys/fs/cgroup/system.slice/docker-${id}.scope`;
    const files = {
      'proc/41/cgroup': `0::/system.slice/docker-${id}.scope\n`,
      'proc/self/mountinfo': `${v2Mount}\n`,
      [`${dir}/memory.events`]: 'low 0\nhigh 0\nmax 19\noom 1\noom_kill 1\noom_group_kill 0\n',
    };
    for (const [more, peakBytes] of [
      [{ [`${dir}/memory.peak`]: '33554432\n' }, 33_554_432],
      [{}, null],
    ] as const) {
      const cgroup = await findMemoryCgroup(plant({ ...files, ...more }), 41, id);
      expect(cgroup === null ? null : readMemory(cgroup)).toEqual({ kills: 1, limitMet: true, peakBytes });
    }
  });

  it('is unknown once the process or the cgroup is gone', async () => {
    const root = plant({ 'proc/self/mountinfo': v2Mount });
    expect(await findMemoryCgroup(root, 41, id)).toBeNull();
    expect(readMemory({ version: 2, dir: join(root, 'gone') })).toBeNull();
  });

  it('is read for the whole machine, and what it does not tell is unknown', async () => {
    const root = plant({
      'proc/vmstat': 'nr_free_pages 12\noom_kill 7\n',
      'proc/meminfo': 'MemTotal:        1000 kB\nMemFree: 10 kB\nMemAvailable:      40 kB\n',
    });
    expect(await readHostMemory(root)).toEqual({ kills: 7, availableShare: 0.04 });
    expect(await readHostMemory(plant({}))).toEqual({ kills: null, availableShare: null });
  });
});
