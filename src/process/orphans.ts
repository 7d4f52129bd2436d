import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessIdentity, identify, isAlive } from './identity.ts';

/** Names who started a process and for which directory: `<pid> <start ticks> <directory>`. */
const starterVariable = 'KRAFT_STARTED_BY';

const pollMs = 50;

/**
 * Variables for a process that must not outlive this one: by them the next daemon of `dir` finds what this one did not
 * live to wait for. Empty where /proc cannot be read.
 */
export function markStarted(dir: string): Readonly<Record<string, string>> {
  const self = identify(process.pid);
  return self === null ? {} : { [starterVariable]: `${self.pid} ${self.startTicks} ${dir}` };
}

/** Ends the marked processes of `dir` whose starter is gone: asked first, so that git takes its locks along, then killed. */
export async function endOrphans(dir: string, graceMs: number): Promise<number> {
  return endAll(
    listProcesses().filter((process) => isOrphan(process, dir)),
    { first: 'SIGTERM', graceMs },
  );
}

/** Kills the processes that were started in `dir` (clients of containers); gives how many there were. */
export async function endProcessesIn(dir: string, graceMs: number): Promise<number> {
  return endAll(
    listProcesses().filter(({ pid }) => readLink(`/proc/${pid}/cwd`) === dir),
    { first: 'SIGKILL', graceMs },
  );
}

function isOrphan({ pid, bootId }: ProcessIdentity, dir: string): boolean {
  // What such a process has started itself (an ssh that a person's other connections share) goes with it or is not Kraft's.
  if (!/^(?:git|docker|podman)/u.test(readText(`/proc/${pid}/comm`))) return false;
  const entry = readText(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith(`${starterVariable}=`));
  const [, starterPid = '', startTicks = '', started = ''] = /^[^=]*=(\d+) (\d+) (.*)$/su.exec(entry ?? '') ?? [];
  return started === dir && !isAlive({ pid: Number(starterPid), bootId, startTicks });
}

async function endAll(
  processes: readonly ProcessIdentity[],
  { first, graceMs }: { readonly first: 'SIGTERM' | 'SIGKILL'; readonly graceMs: number },
): Promise<number> {
  for (const found of processes) signalOne(found, first);
  for (let leftMs = graceMs; leftMs > 0 && processes.some(isAlive); leftMs -= pollMs) await delay(pollMs);
  for (const found of processes) signalOne(found, 'SIGKILL');
  return processes.length;
}

function signalOne(found: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(found)) return;
  try {
    process.kill(found.pid, signal);
  } catch {
    // It ended in between.
  }
}

function listProcesses(): readonly ProcessIdentity[] {
  return listNames('/proc').flatMap((name) => {
    const found = /^\d+$/u.test(name) && Number(name) !== process.pid ? identify(Number(name)) : null;
    return found === null ? [] : [found];
  });
}

function listNames(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Another user's, or gone.
    return '';
  }
}
