import { readFileSync } from 'node:fs';

/** What tells one process from a later one with the same pid: boot id and start ticks (proc(5), field 22). */
export interface ProcessIdentity {
  readonly pid: number;
  readonly bootId: string;
  readonly startTicks: string;
}

/** The identity of a live process; null when it is gone, a zombie, or /proc cannot be read. */
export function identify(pid: number): ProcessIdentity | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  const bootId = readOrNull('/proc/sys/kernel/random/boot_id');
  if (stat === null || bootId === null) return null;
  // The command name may hold spaces and parentheses: fields are counted from the last ')'.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const startTicks = fields[19];
  if (state === undefined || state === 'Z' || state === 'X' || startTicks === undefined) return null;
  return { pid, bootId: bootId.trim(), startTicks };
}

/** Whether that very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now !== null && now.bootId === identity.bootId && now.startTicks === identity.startTicks;
}

/** How long that process has run, of the clock that never goes back; null when it is gone or /proc cannot be read. */
export function runningForMs(identity: ProcessIdentity): number | null {
  const uptimeSeconds = Number.parseFloat(readOrNull('/proc/uptime') ?? '');
  if (!isAlive(identity) || Number.isNaN(uptimeSeconds)) return null;
  // User-space ticks are 100 a second on every Linux that Kraft runs on.
  return Math.max(0, uptimeSeconds * 1000 - Number(identity.startTicks) * 10);
}

/** Signals the process group that the process leads, if it is still that process; false when it is gone. */
export function signalGroup(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(-identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
