import { readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the kernel counts a container's memory, and in which generation's words. */
export interface MemoryCgroup {
  readonly version: 1 | 2;
  /** Absolute path under the host's root. */
  readonly dir: string;
}

/** What a container's memory cgroup said at one moment. */
export interface MemoryReading {
  /** Processes of it that the kernel killed for want of memory, of its own or of the whole machine. */
  readonly kills: number;
  /**
   * Whether its own limit was ever what refused memory; null when that is not told. A kill without it is not its
   * limit's: the machine ran out, or a group above the container did.
   */
  readonly limitMet: boolean | null;
  /** Null where the kernel does not keep it (cgroup v2 before Linux 5.19). */
  readonly peakBytes: number | null;
}

/** What the kernel said of the whole machine at one moment; null is what could not be read. */
export interface HostMemoryReading {
  /** Processes killed for want of memory since boot, those of every limit among them. */
  readonly kills: number | null;
  /** Available memory as a part of all of it, 0 to 1. */
  readonly availableShare: number | null;
}

/**
 * Finds the memory cgroup of a container by its first process: v1 where that hierarchy has the controller (a hybrid
 * machine too), else v2. Null when it is not visible from here, or is not this container's: process ids are used again.
 * `root` is `/` but in tests.
 */
export async function findMemoryCgroup(root: string, pid: number, containerId: string): Promise<MemoryCgroup | null> {
  const cgroups = await readOrNull(join(root, 'proc', String(pid), 'cgroup'));
  const mounts = await readOrNull(join(root, 'proc/self/mountinfo'));
  if (cgroups === null || mounts === null) return null;
  const found = locateMemoryCgroup(cgroups, mounts, containerId);
  return found === null ? null : { ...found, dir: join(root, found.dir) };
}

/** The texts of `/proc/<pid>/cgroup` and `/proc/self/mountinfo`, read from the same namespace. Pure. */
export function locateMemoryCgroup(cgroups: string, mountinfo: string, containerId: string): MemoryCgroup | null {
  const paths = cgroups.split('\n').map((line) => /^(\d+):([^:]*):(\/.*)$/u.exec(line));
  const v1 = paths.find((match) => match?.[2]?.split(',').includes('memory'));
  const path = (v1 ?? paths.find((match) => match?.[1] === '0' && match[2] === ''))?.[3];
  if (path === undefined) return null;
  const mount = findMount(mountinfo, v1 === undefined ? 'cgroup2' : 'cgroup');
  const own = cutAtContainer(path, containerId);
  if (mount === null || own === null) return null;
  // Where only a part of the hierarchy is mounted, what lies outside cannot be read.
  const base = mount.root === '/' ? '' : mount.root;
  if (!own.startsWith(`${base}/`)) return null;
  return { version: v1 === undefined ? 2 : 1, dir: join(mount.point, own.slice(base.length)) };
}

function findMount(
  mountinfo: string,
  type: 'cgroup' | 'cgroup2',
): { readonly root: string; readonly point: string } | null {
  for (const line of mountinfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const [fsType, , options = ''] = right.split(' ');
    if (fsType !== type || (type === 'cgroup' && !options.split(',').includes('memory'))) continue;
    const [, , , root, point] = left.split(' ');
    if (root !== undefined && point !== undefined) return { root, point };
  }
  return null;
}

/** Up to the folder named after the container, which holds the limit; its first process may lie deeper (crun). */
function cutAtContainer(path: string, containerId: string): string | null {
  const parts = path.split('/');
  const at = containerId === '' ? -1 : parts.findIndex((part) => part.includes(containerId));
  return at === -1 || parts.includes('..') ? null : parts.slice(0, at + 1).join('/');
}

/**
 * Null once the cgroup is gone, and on a kernel that counts no kills. Synchronous: a few words out of kernel memory, and
 * the cgroup goes milliseconds after the last process, so that a turn through the thread pool would come too late.
 */
export function readMemory({ version, dir }: MemoryCgroup): MemoryReading | null {
  const read = (name: string): string | null => readNow(join(dir, name));
  if (version === 2) {
    const events = read(eventsFile);
    const kills = readCounter(events, 'oom_kill');
    const met = readCounter(events, 'oom');
    return kills === null
      ? null
      : { kills, limitMet: met === null ? null : met > 0, peakBytes: parseBytes(read('memory.peak')) };
  }
  const kills = readCounter(read('memory.oom_control'), 'oom_kill');
  if (kills === null) return null;
  const peakBytes = parseBytes(read('memory.max_usage_in_bytes'));
  const limitBytes = parseBytes(read('memory.limit_in_bytes'));
  // v1 does not count why (its failcnt stays 0 on recent kernels); memory is refused within a few pages of the limit.
  const limitMet = peakBytes === null || limitBytes === null ? null : limitBytes - peakBytes < limitSlackBytes;
  return { kills, limitMet, peakBytes };
}

const eventsFile = 'memory.events';
/** The largest allocation for which the kernel kills rather than refuses is 8 pages, which are up to 64 KiB large. */
const limitSlackBytes = 512 * 1024;

/**
 * Calls back at each change of the cgroup's counters, within milliseconds, until the function that it gives is called;
 * cgroup v2 alone tells of them (v1 wants an eventfd, which Node.js has no way to make), so on v1 nothing is ever called.
 */
export function watchMemoryEvents({ version, dir }: MemoryCgroup, onChange: () => void): () => void {
  if (version === 1) return () => undefined;
  try {
    const watcher = watch(join(dir, eventsFile), { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // Gone already, or no inotify watch is left: the regular looks remain.
    return () => undefined;
  }
}

/** Reads the machine's counters; `root` is `/` but in tests. */
export async function readHostMemory(root: string): Promise<HostMemoryReading> {
  const kills = readCounter(await readOrNull(join(root, 'proc/vmstat')), 'oom_kill');
  const meminfo = await readOrNull(join(root, 'proc/meminfo'));
  const total = readCounter(meminfo, 'MemTotal:');
  const available = readCounter(meminfo, 'MemAvailable:');
  return { kills, availableShare: total === null || available === null || total === 0 ? null : available / total };
}

/** The number on the line that begins with `name`. */
function readCounter(text: string | null, name: string): number | null {
  for (const line of text?.split('\n') ?? []) {
    const [word, value = ''] = line.split(/\s+/u);
    if (word === name && /^\d+$/u.test(value)) return Number(value);
  }
  return null;
}

/** A size in bytes; null for `max` and whatever else is no number. */
function parseBytes(text: string | null): number | null {
  const word = text?.trim() ?? '';
  return /^\d+$/u.test(word) ? Number(word) : null;
}

function readNow(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
