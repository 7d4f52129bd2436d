import { asKraftError, randomIds, systemClock, type Log } from '../base/index.ts';
import { checkDiskFloor, type RouteServing } from '../launch/index.ts';
import type { Store } from '../store/index.ts';
import { createWalker, findStrayWorktrees, type ReattachReport } from '../walk/index.ts';
import { openWorkerApi } from '../worker-api/index.ts';
import { createKraft } from './create-kraft.ts';
import type { OpenKraftOptions } from './open-kraft.ts';
import type { Kraft } from './kraft.ts';
import { openParts, type Parts } from './open-parts.ts';

const usagePollMs = 2_000;
const fullDiskRetryMs = 10_000;
/** Health is asked for by every command; the files are read again only after this long. */
const reasonsKeptMs = 2_000;

/**
 * Opens engines, git and the walker over an open store, and takes over what an earlier daemon left running. The facade
 * then owns the store. Preconditions: this process holds the home's lock.
 */
export async function wakeKraft(options: OpenKraftOptions, store: Store, startedAt: string): Promise<Kraft> {
  const { paths, log } = options;
  // The walker that answers a worker is opened over the launcher whose routes the worker's questions come in by.
  const serving: RouteServing = {
    kraft: (owner) => ({ answer: (request) => workerApi.answer(owner, request) }),
    record: async ({ itemId }, payload) => {
      const event = { type: 'sandbox_egress_refused', payload } as const;
      await store.apply({ itemId, item: {}, events: [{ event, nodeId: null }], sessions: [], expectStatus: null });
    },
  };
  const parts = openParts(options, paths, { log, serving });
  const doctor = parts.doctor({
    pid: process.pid,
    version: options.version,
    strayWorktrees: () => findStrayWorktrees({ store, paths }),
  });
  const walker = createWalker({
    store,
    git: parts.git,
    launcher: parts.launcher,
    paths,
    clock: systemClock,
    ids: randomIds,
    log,
    loadRepos: async () => (await parts.loaders.repos()).repos,
    loadPolicy: parts.loaders.policy,
    loadChain: parts.loaders.chain,
    loadHarness: parts.loaders.harness,
    loadAgentProfiles: parts.loaders.agentProfiles,
    lookAtRow: (row, repoPath) => doctor.look(row, repoPath),
    usagePollMs,
    alarm: setAlarm,
    fullDiskRetryMs,
  });
  const workerApi = openWorkerApi({
    port: walker.workers,
    alarm: setAlarm,
    log,
  });
  const close = async (): Promise<void> => {
    await walker[Symbol.asyncDispose]();
    await parts.launcher[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  try {
    logReattached(log, await walker.reattach());
  } catch (error) {
    await close();
    throw error;
  }
  return createKraft({
    paths,
    version: options.version,
    store,
    git: parts.git,
    walker,
    doctor,
    loaders: parts.loaders,
    clock: systemClock,
    startedAt,
    reasons: openReasons(parts),
    close,
  });
}

function setAlarm(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function logReattached(log: Log, report: ReattachReport): void {
  const { adopted, resolved, unknown, continued, swept } = report;
  if (adopted + resolved + unknown + continued > 0) {
    log.info(
      `taken over: ${adopted} running sessions, ${resolved} ended ones, ${unknown} of unknown end; ${continued} items go on`,
    );
  }
  if (swept.length > 0) log.info(`removed leftover containers: ${swept.join(', ')}`);
}

/** Why launches would not go well: configuration that does not load, a disk under its floor. */
function openReasons({ loaders, paths, clock }: Parts): () => Promise<readonly string[]> {
  const kept = { reasons: [] as readonly string[], untilMs: Number.NEGATIVE_INFINITY };
  return async () => {
    if (clock.monotonicMs() < kept.untilMs) return kept.reasons;
    const checks = [
      loaders.repos,
      loaders.sandbox,
      loaders.policy,
      async () => {
        const reached = await checkDiskFloor(paths.run, (await loaders.policy()).diskFloorBytes);
        if (reached !== null) throw reached;
      },
    ];
    const found = await Promise.all(
      checks.map((check) =>
        check().then(
          () => null,
          (error: unknown) => asKraftError(error).message,
        ),
      ),
    );
    kept.reasons = [...new Set(found.filter((reason) => reason !== null))];
    kept.untilMs = clock.monotonicMs() + reasonsKeptMs;
    return kept.reasons;
  };
}
