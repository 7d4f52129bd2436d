import { type KraftError, renderSize } from '../base/index.ts';
import {
  containerLabels,
  containerPaths,
  renderCpus,
  type ContainerLimits,
  type ContainerSpec,
  type ThrowawayResult,
  type UserPlan,
} from '../runtime/index.ts';
import { doctorErrors } from './errors.ts';

/** Where the probe finds the directory that it has to write into, and what it writes there. */
export const probeMount = '/kraft/probe';
export const probeFile = 'written';
export const containerProbeTimeoutMs = 60_000;

const script = `marker=$1
say() { printf '%s %s %s\\n' "$marker" "$1" "$2"; }
first() { for file in "$@"; do if [ -r "$file" ]; then cat "$file" 2>/dev/null && return; fi; done; echo none; }
cd /sys/fs/cgroup 2>/dev/null
say memory "$(first memory.max memory/memory.limit_in_bytes)"
say swap "$(first memory.swap.max memory/memory.memsw.limit_in_bytes)"
say pids "$(first pids.max pids/pids.max)"
say cpu "$(first cpu.max cpu/cpu.cfs_quota_us cpu,cpuacct/cpu.cfs_quota_us) $(first cpu/cpu.cfs_period_us cpu,cpuacct/cpu.cfs_period_us)"
if echo x 2>/dev/null >${probeMount}/${probeFile}; then say write yes; else say write no; fi
if [ -r ${containerPaths.caBundle} ]; then say ca yes; else say ca no; fi
say node "$(node --version 2>/dev/null || echo none)"
say end here`;

/** A container as a launch would start it, that only looks around and writes one file. */
export function planContainerProbe(input: {
  readonly home: string;
  readonly image: string;
  /** Fresh hex digits that tell the probe's lines from what an image prints by itself. */
  readonly marker: string;
  readonly user: UserPlan;
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
  /** Host directory that is mounted to be written into. */
  readonly directory: string;
  /** Host path of the extra CA; null for none. */
  readonly caFile: string | null;
}): ContainerSpec {
  return {
    name: null,
    labels: containerLabels(input.home, 'probe', null),
    image: input.image,
    command: ['-c', script, 'sh', input.marker],
    entrypoint: 'sh',
    user: input.user.user,
    userNamespace: input.user.userNamespace,
    mounts: [
      { source: input.directory, target: probeMount, readOnly: false },
      ...(input.caFile === null ? [] : [{ source: input.caFile, target: containerPaths.caBundle, readOnly: true }]),
    ],
    tmpfs: {},
    workingDir: null,
    envLiterals: {},
    envNames: [],
    network: 'none',
    limits: input.limits,
    init: true,
    readOnlyRoot: false,
    interactive: false,
    cidFile: null,
    pull: 'never',
    selinux: input.selinux,
  };
}

/** What the container said of itself; limits as the kernel prints them, `none` where there is no such file. */
export interface SeenInside {
  readonly memory: string;
  readonly swap: string;
  readonly pids: string;
  readonly cpu: string;
  readonly wrote: boolean;
  readonly readsCa: boolean;
  /** `v24.1.0`; `none` where the image has no Node. */
  readonly node: string;
}

/** Reads the probe's output; anything but a whole answer gives the reason instead. */
export function parseContainerProbe(result: ThrowawayResult, marker: string): SeenInside | { readonly why: string } {
  if (result.timedOut) return { why: `it did not end within ${containerProbeTimeoutMs / 1000} s` };
  const said = new Map<string, string>();
  for (const line of result.stdout.split(/\r?\n/)) {
    const [mark, name = '', ...rest] = line.split(' ');
    if (mark === marker) said.set(name, rest.join(' ').trim());
  }
  if (result.exitCode !== 0 || !said.has('end')) {
    const word = result.stderr.trim().split('\n').at(-1) ?? '';
    return { why: word === '' ? `it ended with code ${String(result.exitCode)}` : word.replace(/\.$/, '') };
  }
  const read = (name: string): string => said.get(name) ?? 'none';
  return {
    memory: read('memory'),
    swap: read('swap'),
    pids: read('pids'),
    cpu: read('cpu'),
    wrote: read('write') === 'yes',
    readsCa: read('ca') === 'yes',
    node: read('node'),
  };
}

/** Kernels round a memory limit down to whole pages, which are up to 64 KiB large. */
const pageSlackBytes = 64 * 1024;
const cpuSlack = 0.011;

/** Limits that were asked for and are not in force inside (PF-L05, L08): what a container says, not what `inspect` repeats. */
export function decideLimitsInForce(asked: ContainerLimits, seen: SeenInside): readonly KraftError[] {
  const problems: KraftError[] = [];
  const report = (limit: string, wanted: string, found: string): void => {
    const shown = found === 'none' || found === '' ? 'not shown by the kernel' : found;
    problems.push(doctorErrors.create('LIMIT_NOT_SEEN', { limit, asked: wanted, seen: shown }));
  };
  const { memoryBytes, cpu, pids } = asked;
  if (memoryBytes !== null) {
    const size = renderSize(memoryBytes);
    if (!isMemoryLimit(seen.memory, memoryBytes)) report('memory', size, seen.memory);
    // On cgroup v2 the file counts swap alone, on v1 memory and swap together.
    if (asked.closeSwap && seen.swap !== '0' && !isMemoryLimit(seen.swap, memoryBytes)) report('swap', size, seen.swap);
  }
  if (pids !== null && seen.pids !== String(pids)) report('pids', String(pids), seen.pids);
  if (cpu !== null && !isCpuLimit(seen.cpu, cpu)) report('cpu', renderCpus(cpu), seen.cpu);
  return problems;
}

function isMemoryLimit(text: string, askedBytes: number): boolean {
  const bytes = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return bytes <= askedBytes && askedBytes - bytes < pageSlackBytes;
}

function isCpuLimit(text: string, asked: number): boolean {
  const match = /^(\d+) (\d+)/.exec(text);
  return match !== null && Math.abs(Number(match[1]) / Number(match[2]) - asked) < cpuSlack;
}

/** Whether what is built on this Node's fetch finds a proxy by its variables (PF-P05); true where there is no Node. */
export function readsProxyVariables(node: string): boolean {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(node)?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return true;
  return major >= 24 || (major === 22 && minor >= 21);
}
