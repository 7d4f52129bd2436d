import type { HostMemoryReading, MemoryReading } from '../runtime/index.ts';

/** What was seen of a container's memory while it was alive. */
export interface MemoryEvidence {
  /** Kills that the container's own cgroup counted, whatever the kernel killed for. */
  readonly kills: number;
  /** Whether the container's own limit was met; null while nothing tells. */
  readonly limitMet: boolean | null;
  readonly peakBytes: number | null;
  /** Kills on the whole machine since the launch, those under any limit among them. */
  readonly hostKills: number;
  /** The least of the machine's memory that was available, as a part of all of it; null when it could not be read. */
  readonly hostLowestShare: number | null;
}

/** Under this part of its memory a machine counts as short: its kernel kills no process while there is plenty. */
const shortShare = 0.05;

/** One more look; `reading` is null when the cgroup is gone, and what was seen before stands. Pure. */
export function addMemoryReading(
  seen: MemoryEvidence,
  reading: MemoryReading | null,
  host: { readonly before: HostMemoryReading; readonly now: HostMemoryReading },
): MemoryEvidence {
  const { before, now } = host;
  const hostKills = before.kills === null || now.kills === null ? 0 : now.kills - before.kills;
  return {
    kills: Math.max(seen.kills, reading?.kills ?? 0),
    // Once met is met; a look that does not tell takes nothing back.
    limitMet: seen.limitMet === true ? true : (reading?.limitMet ?? seen.limitMet),
    peakBytes: pick(Math.max, seen.peakBytes, reading?.peakBytes ?? null),
    hostKills: Math.max(seen.hostKills, hostKills),
    hostLowestShare: pick(Math.min, seen.hostLowestShare, now.availableShare),
  };
}

/** Nothing has been looked at yet. */
export const nothingSeen: MemoryEvidence = {
  kills: 0,
  limitMet: null,
  peakBytes: null,
  hostKills: 0,
  hostLowestShare: null,
};

/** Whether the container's own limit killed a process of it. Pure. */
export function isLimitKill({ kills, limitMet }: MemoryEvidence): boolean {
  return kills > 0 && limitMet !== false;
}

/**
 * Whether the machine as a whole ran out of memory and may have killed in the container: the kernel killed there though
 * the limit was far, or it killed somewhere while the machine had nothing left. Pure.
 */
export function isHostShort(evidence: MemoryEvidence): boolean {
  const { kills, hostKills, hostLowestShare } = evidence;
  if (kills > 0) return !isLimitKill(evidence);
  return hostKills > 0 && hostLowestShare !== null && hostLowestShare < shortShare;
}

/** A limit to try after one was too small: twice what was reached, in whole MiB. */
export function suggestMemory(memoryBytes: number, peakBytes: number | null): number {
  const mebibyte = 1024 ** 2;
  return Math.ceil((2 * Math.max(memoryBytes, peakBytes ?? 0)) / mebibyte) * mebibyte;
}

function pick(choose: (a: number, b: number) => number, a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return choose(a, b);
}
