import { type MemoryEvidence, addMemoryReading, nothingSeen } from '../limits/index.ts';
import {
  type Engine,
  type MemoryCgroup,
  findMemoryCgroup,
  readHostMemory,
  readMemory,
  watchMemoryEvents,
} from '../runtime/index.ts';

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
 * Looks at the container's memory cgroup until the launch is over: with the container the kernel drops its count, and no
 * descriptor that was opened before reads it any more. On cgroup v2 the kernel says when a count changes, so that the
 * kill which ends the container is read before its cgroup goes; on v1 that one is seen only when a look falls in between,
 * and the engine's own word, which is reliable there, has to do. Null when the cgroup could not be read (not visible from
 * here, or over before the first look). Never throws.
 */
export async function watchMemory(watch: MemoryWatch): Promise<MemoryEvidence | null> {
  const { root, pollMs, wait } = watch;
  const before = await readHostMemory(root);
  const cgroup = await awaitCgroup(watch);
  if (cgroup === null) return null;
  let evidence = nothingSeen;
  const look = (now: typeof before): void => {
    evidence = addMemoryReading(evidence, readMemory(cgroup), { before, now });
  };
  const stopWatching = watchMemoryEvents(cgroup, () => look(before));
  do look(await readHostMemory(root));
  while (await wait(pollMs));
  stopWatching();
  // A container's cgroup may outlive its client by a moment, and the machine's counters stay.
  look(await readHostMemory(root));
  return evidence;
}

/** The cgroup, as soon as the engine names the container's first process. */
async function awaitCgroup({ engine, container, root, pollMs, wait }: MemoryWatch): Promise<MemoryCgroup | null> {
  for (let pauseMs = pollMs; await wait(pauseMs); pauseMs = Math.min(2 * pauseMs, Math.max(askMaxMs, pollMs))) {
    const state = await engine.inspectContainer(container).catch(() => null);
    if (state?.running === true && state.pid !== null) return findMemoryCgroup(root, state.pid, state.id);
  }
  return null;
}
