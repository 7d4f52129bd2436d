import { type MemoryEvidence, addMemoryReading } from '../limits/index.ts';
import { type Engine, type MemoryCgroup, findMemoryCgroup, readHostMemory, readMemory } from '../runtime/index.ts';

export interface MemoryWatch {
  readonly engine: Pick<Engine, 'inspectContainer'>;
  readonly container: string;
  /** The host's root directory: `/` but in tests. */
  readonly root: string;
  /** Between two looks at the cgroup's files. */
  readonly pollMs: number;
  /** False as soon as the launch is over. */
  readonly wait: (ms: number) => Promise<boolean>;
}

/** Asking the engine costs more than reading a file, and an image may be copied for minutes before a container starts. */
const askMaxMs = 30_000;

/**
 * Looks at the container's memory cgroup until the launch is over: with the container the kernel drops its count. Null
 * when it could not be read (not visible from here, or over before the first look). Never throws.
 */
export async function watchMemory(watch: MemoryWatch): Promise<MemoryEvidence | null> {
  const { root, pollMs, wait } = watch;
  const before = await readHostMemory(root);
  const cgroup = await awaitCgroup(watch);
  if (cgroup === null) return null;
  let evidence: MemoryEvidence = { kills: 0, peakBytes: null, hostKills: 0, hostLowestShare: null };
  for (let goOn = true; goOn;) {
    const reading = await readMemory(cgroup);
    evidence = addMemoryReading(evidence, reading, { before, now: await readHostMemory(root) });
    goOn = await wait(pollMs);
  }
  // A container's cgroup may outlive its client by a moment, and the machine's counters stay.
  return addMemoryReading(evidence, await readMemory(cgroup), { before, now: await readHostMemory(root) });
}

/** The cgroup, as soon as the engine names the container's first process. */
async function awaitCgroup({ engine, container, root, pollMs, wait }: MemoryWatch): Promise<MemoryCgroup | null> {
  for (let pauseMs = pollMs; await wait(pauseMs); pauseMs = Math.min(2 * pauseMs, Math.max(askMaxMs, pollMs))) {
    const state = await engine.inspectContainer(container).catch(() => null);
    if (state?.running === true && state.pid !== null) return findMemoryCgroup(root, state.pid, state.id);
  }
  return null;
}
