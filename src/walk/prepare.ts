import { join } from 'node:path';
import { asKraftError, hasCode } from '../base/index.ts';
import type { WorktreePrepared } from '../events/index.ts';
import type { RefStore, Repository, Worktree } from '../git/index.ts';
import type { Item } from '../items/index.ts';
import { setupSessionId, type FinishedLaunch, type LaunchPlan } from '../launch/index.ts';
import { walkErrors } from './errors.ts';
import { worktreeOf } from './frozen.ts';
import { Interrupt } from './interrupt.ts';
import type { WalkPorts } from './ports.ts';
import { readTail } from './read-tail.ts';
import { checkDisk, type Ready } from './ready.ts';
import type { Run } from './run.ts';
import { oomEvents } from './conclude-session.ts';
import { Stopped, stopFromError } from './stops.ts';
import { timeCapMs } from './time-cap.ts';

/**
 * From the base commit to the end of the setup command. What fails or is interrupted in between removes the worktree and
 * the ref store again, and the branch while nothing was committed on it; after it returns nothing is removed but by
 * abandon.
 */
export async function prepareItem(ports: WalkPorts, run: Run, ready: Ready): Promise<Worktree> {
  const before = await run.item();
  // A daemon that died in the middle left a part of this behind.
  await undoPrepare(ports, ready.repository, before);
  const worktree = await makeWorktree(ports, run, { ready, item: before });
  try {
    run.checkpoint();
    const localFiles = await ports.git.copyLocalFiles(ready.repository, worktree.path, ready.repo.localFiles);
    const setupMs = await runSetup(ports, run, { ready, worktree });
    run.checkpoint();
    await run.record({
      events: [preparedEvent(worktree, localFiles, setupMs)],
      item: { prepared: true },
    });
    return worktree;
  } catch (error) {
    if (!mustKeep(error)) await undoAndForget(ports, run, ready);
    throw error;
  }
}

/** Removes what a preparation left; idempotent, and a no-op on an item that is prepared. */
async function undoPrepare(ports: WalkPorts, repository: Repository, item: Item): Promise<void> {
  if (item.adminDir !== null) await ports.git.discardRefStore({ worktreeAdminDir: item.adminDir });
  await ports.git.removeWorktree(repository, {
    path: worktreePath(ports, item.id),
    branch: item.branch,
    removeBranch: true,
    itemId: item.id,
    removeBase: true,
  });
}

/** The columns are cleared only once everything is gone (PF-X07); what could not be removed is met again at the next try. */
async function undoAndForget(ports: WalkPorts, run: Run, ready: Ready): Promise<void> {
  try {
    await undoPrepare(ports, ready.repository, await run.item());
    await run.record({ item: { worktree: null, adminDir: null, baseCommit: null, base: null } });
  } catch (error) {
    if (error instanceof Interrupt) throw error;
    ports.log.error(`${run.itemId}: the worktree could not be removed again: ${asKraftError(error).message}`);
  }
}

/** Nothing is removed under a container that may still write, nor by a daemon that is about to go. */
function mustKeep(error: unknown): boolean {
  return hasCode(error, 'CONTAINER_LEFT_BEHIND') || (error instanceof Interrupt && error.why === 'detach');
}

/** `<run>/worktrees/<item>`. */
export function worktreePath(ports: WalkPorts, itemId: string): string {
  return join(ports.paths.run, 'worktrees', itemId);
}

async function makeWorktree(
  ports: WalkPorts,
  run: Run,
  { ready, item }: { readonly ready: Ready; readonly item: Item },
): Promise<Worktree> {
  const { commit, base } = await ports.git.resolveBase(ready.repository, {
    itemId: item.id,
    baseBranch: item.baseBranch,
  });
  run.checkpoint();
  const worktree = await ports.git.createWorktree(ready.repository, {
    itemId: item.id,
    path: worktreePath(ports, item.id),
    branch: item.branch,
    commit,
    base,
  });
  await run.record({
    item: {
      worktree: worktree.path,
      adminDir: worktree.adminDir,
      baseCommit: worktree.baseCommit,
      base: worktree.base,
    },
  });
  return worktree;
}

/** Runs the setup command in the sandbox; null when there is none. Publishes nothing (SI 1.19). */
async function runSetup(
  ports: WalkPorts,
  run: Run,
  { ready, worktree }: { readonly ready: Ready; readonly worktree: Worktree },
): Promise<number | null> {
  const command = ready.repo.setupCommand;
  if (command === null || command === '') return null;
  const { store } = await ports.git.openRefStore({
    repository: ready.repository,
    worktree,
    itemId: run.itemId,
    sessionId: null,
    liveSessionIds: [],
  });
  await checkDisk(ports);
  const plan = await planSetup(ports, run, { ready, worktree, store, command });
  const startedMs = ports.clock.monotonicMs();
  const launch = await ports.launcher.start(plan, ready.repo, {
    confirm: () => Promise.resolve(run.isWanted),
    onProgress: (line) => ports.log.info(`${run.itemId}: ${line}`),
  });
  if (launch === null) {
    run.checkpoint();
    throw new Stopped(stopFromError(walkErrors.create('SETUP_FAILED', { command, why: 'was not started' }), noFacts));
  }
  const finished = await run.watch(launch);
  const events = oomEvents(plan.track.sessionId, finished);
  if (events.length > 0) await run.record({ events });
  if (finished.leftBehind !== null) {
    throw walkErrors.create('CONTAINER_LEFT_BEHIND', { container: plan.track.container, why: finished.leftBehind });
  }
  run.checkpoint();
  if (finished.status !== 'done') throw await setupFailure(command, plan, finished);
  return Math.round(ports.clock.monotonicMs() - startedMs);
}

const noFacts = { sessionId: null, facts: {} };

async function planSetup(
  ports: WalkPorts,
  run: Run,
  what: {
    readonly ready: Ready;
    readonly worktree: Worktree;
    readonly store: RefStore;
    readonly command: string;
  },
): Promise<LaunchPlan> {
  const { repo, sandbox, identity } = what.ready;
  return ports.launcher.plan({
    itemId: run.itemId,
    sessionId: setupSessionId(run.itemId, ports.ids.sessionId()),
    role: 'setup',
    phase: 'install',
    repo,
    sandbox,
    identity,
    worktree: what.worktree,
    store: what.store,
    command: ['sh', '-c', what.command],
    env: {},
    envNames: [],
    configDir: null,
    harnessHosts: [],
    timeCapMs: await timeCapMs(ports, what.ready, { itemId: run.itemId, task: null }),
  });
}

async function setupFailure(command: string, plan: LaunchPlan, finished: FinishedLaunch): Promise<Stopped> {
  const exit = finished.exitCode === null ? '' : ` with exit code ${finished.exitCode}`;
  const why = `failed${exit}${finished.reason === null ? '' : ` (${finished.reason})`}`;
  const stop = stopFromError(walkErrors.create('SETUP_FAILED', { command, why }), {
    sessionId: null,
    facts: {
      command,
      session_id: plan.track.sessionId,
      exit_code: finished.exitCode,
      status: finished.status,
      log: plan.track.logPath,
      output_tail: await readTail(plan.track.logPath),
    },
  });
  if (finished.code === null) return new Stopped(stop);
  // A launch that could not be made says its own code and remedy, which lead further than those of the setup.
  const kind = finished.status === 'unknown' ? 'infra' : stop.kind;
  return new Stopped({ ...stop, kind, code: finished.code, remedy: finished.remedy ?? stop.remedy });
}

function preparedEvent(
  worktree: Worktree,
  localFiles: WorktreePrepared['payload']['local_files'],
  setupMs: number | null,
): WorktreePrepared {
  return {
    type: 'worktree_prepared',
    payload: {
      branch: worktree.branch,
      base_commit: worktree.baseCommit,
      base: worktree.base,
      local_files: localFiles,
      setup_ms: setupMs,
    },
  };
}

/** The worktree of a prepared item. */
export function preparedWorktree(item: Item): Worktree | null {
  return item.prepared ? worktreeOf(item) : null;
}
