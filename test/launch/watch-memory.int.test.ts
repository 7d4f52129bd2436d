import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchMemory } from '../../src/launch/watch-memory.ts';
import type { ContainerState } from '../../src/runtime/index.ts';

const state: ContainerState = {
  id: 'c0ffee',
  running: true,
  pid: 41,
  exitCode: null,
  oomKilled: false,
  memoryLimitBytes: 48 * 1024 ** 2,
};

/** A machine on cgroup v2 on which the process 41 is the container's first. */
function machine(): { readonly root: string; readonly cgroup: string; write(path: string, text: string): void } {
  const root = mkdtempSync(join(tmpdir(), 'kraft-watch-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cgroup = 'sys/fs/cgroup/docker/c0ffee';
  for (const folder of ['proc/41', 'proc/self', cgroup]) mkdirSync(join(root, folder), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  write('proc/41/cgroup', '0::/docker/c0ffee\n');
  write('proc/self/mountinfo', '35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n');
  write('proc/vmstat', 'oom_kill 5\n');
  write('proc/meminfo', 'MemTotal: 100 kB\nMemAvailable: 50 kB\n');
  write(`${cgroup}/memory.events`, 'oom 0\noom_kill 0\n');
  write(`${cgroup}/memory.peak`, '1000\n');
  return { root, cgroup, write };
}

/** The launch is over after these steps, one between each two looks. */
function steps(list: readonly (() => void)[]): (ms: number) => Promise<boolean> {
  const left = [...list];
  return () => {
    left.shift()?.();
    return Promise.resolve(left.length > 0);
  };
}

const nothing = (): void => undefined;

describe('the look at a container’s memory while it is alive', () => {
  it('sees a killed child and the peak, and keeps them when the cgroup is gone with the container', async () => {
    const { root, cgroup, write } = machine();
    const evidence = await watchMemory({
      engine: { inspectContainer: () => Promise.resolve(state) },
      container: 'kraft-1',
      root,
      pollMs: 1,
      wait: steps([
        nothing,
        () => {
          write(`${cgroup}/memory.events`, 'oom 1\noom_kill 1\n');
          write(`${cgroup}/memory.peak`, '9000\n');
          write('proc/vmstat', 'oom_kill 6\n');
        },
        () => rmSync(join(root, cgroup), { recursive: true }),
        nothing,
      ]),
    });
    expect(evidence).toEqual({ kills: 1, limitMet: true, peakBytes: 9000, hostKills: 1, hostLowestShare: 0.5 });
  });

  it('reads a kill when the kernel tells of it, so that the one which ends the container is not missed between two looks', async () => {
    const { root, cgroup, write } = machine();
    const over = Promise.withResolvers<boolean>();
    let asked = 0;
    const watched = watchMemory({
      engine: { inspectContainer: () => Promise.resolve(state) },
      container: 'kraft-1',
      root,
      pollMs: 1,
      // After the first look there is none until the launch is over.
      wait: () => {
        asked += 1;
        if (asked < 2) return Promise.resolve(true);
        write(`${cgroup}/memory.events`, 'oom 1\noom_kill 1\n');
        write(`${cgroup}/memory.peak`, '9000\n');
        return over.promise;
      },
    });
    // inotify tells both watches in one turn of the loop.
    const events = watch(join(root, cgroup, 'memory.events'));
    await once(events, 'change');
    events.close();
    await nextTurn();
    rmSync(join(root, cgroup), { recursive: true });
    over.resolve(false);
    expect(await watched).toMatchObject({ kills: 1, limitMet: true });
  });

  it('waits for a container that is still being made, longer each time, and asks no more once it is found', async () => {
    const answers = [null, { ...state, running: false, pid: null }, state];
    const pauses: number[] = [];
    let left = 5;
    const evidence = await watchMemory({
      engine: {
        inspectContainer: () => {
          const answer = answers.shift();
          return answer === undefined ? Promise.reject(new Error('asked again')) : Promise.resolve(answer);
        },
      },
      container: 'kraft-1',
      root: machine().root,
      pollMs: 1000,
      wait: (ms) => {
        pauses.push(ms);
        left -= 1;
        return Promise.resolve(left > 0);
      },
    });
    expect(pauses).toEqual([1000, 2000, 4000, 1000, 1000]);
    expect(evidence).toMatchObject({ kills: 0, peakBytes: 1000 });
  });

  it('is nothing for one that was over before, or that this process cannot see', async () => {
    const { root, write } = machine();
    const watch = { engine: { inspectContainer: () => Promise.resolve(state) }, container: 'kraft-1', root, pollMs: 1 };
    expect(await watchMemory({ ...watch, wait: () => Promise.resolve(false) })).toBeNull();
    write('proc/41/cgroup', '0::/somebody/else\n');
    expect(await watchMemory({ ...watch, wait: () => Promise.resolve(true) })).toBeNull();
  });
});
