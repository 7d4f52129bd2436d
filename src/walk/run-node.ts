import type { ChainStep, ChainTask, ExecNode, PlainStep } from '../chain/index.ts';
import type { Item, TaskFailure } from '../items/index.ts';
import { loopRemainingMs, nextRepair, runJudge, tellFailures, type NodePlace } from './fix-loop.ts';
import { Interrupt } from './interrupt.ts';
import type { WalkPorts } from './ports.ts';
import { listOpenThreads } from './reviews.ts';
import type { Run } from './run.ts';
import type { TaskContext } from './session-end.ts';
import { listFindings } from './findings.ts';
import { Stopped } from './stops.ts';
import { finishAgents, runTask } from './tasks.ts';

interface Recoverable {
  readonly path: string;
  readonly onFailure: readonly PlainStep[];
}

/**
 * Runs an exec node until it passes: its steps, where they fail its recovery, once, and then its fix loop (CC 6.6). Only
 * failures of tasks get that far: a configuration error, a cap, a question or the machine stops the item at once. What has
 * been done is read back from the store each time round, so that a crash anywhere goes on where it was.
 */
export async function runNode(ports: WalkPorts, run: Run, place: NodePlace): Promise<void> {
  for (;;) {
    run.checkpoint();
    const item = await run.item();
    if (item.fixLoop?.nodeId === place.node.id && item.fixLoop.phase === 'repair') {
      await repair(ports, run, place);
      continue;
    }
    await finishRecovery(ports, run, place, place.node);
    const failed = await runSteps(ports, run, place);
    if (failed === null) return;
    if (await recover(run, place, place.node, failed)) continue;
    if (place.node.fixLoop === null) throw failed;
    await enterRepair(ports, run, place, failed);
  }
}

/** Runs the loop's own tasks; whether they mended anything the next run of the node tells. */
async function repair(ports: WalkPorts, run: Run, place: NodePlace): Promise<void> {
  await runPlainSteps(ports, run, place, place.node.fixLoop?.steps ?? []).catch((error: unknown) => {
    // The agent says that it could not: the node's next run measures what it left.
    if (!(error instanceof Stopped) || error.failures.length === 0) throw error;
  });
  const { fixLoop } = await run.item();
  if (fixLoop === null) return;
  // The whole node runs again, also where it was entered in its middle: a repair may have broken what stood before.
  await run.record({
    nodeId: place.node.id,
    item: { fixLoop: { ...fixLoop, phase: 'measure' }, enterAt: null },
  });
}

/** Decides what follows a failed run of a node with a loop: records the next repair, or stops. */
async function enterRepair(ports: WalkPorts, run: Run, place: NodePlace, failed: Stopped): Promise<void> {
  const { node } = place;
  const decision = await nextRepair(ports, run, { place, failed });
  const { events } = decision;
  if (decision.kind === 'stop') {
    await run.record({ nodeId: node.id, events });
    throw decision.stopped;
  }
  const cycle = decision.loop.cycle;
  const judge = node.fixLoop?.judge ?? null;
  if (judge !== null && cycle > 1) await runJudge(ports, run, { place, judge, failed });
  await run.record({
    nodeId: node.id,
    item: { fixLoop: decision.loop },
    events: [
      ...events,
      {
        type: 'fix_cycle_started',
        payload: { node_id: node.id, cycle, failed_tasks: decision.loop.failures.map((failure) => failure.task) },
      },
    ],
  });
}

/** Null when all of them passed; otherwise what the first step that failed failed at. */
async function runSteps(ports: WalkPorts, run: Run, place: NodePlace): Promise<Stopped | null> {
  for (const step of place.node.steps) {
    const tasks = tasksToRun(step, place.node, await run.item());
    if (tasks.length === 0) continue;
    const failed = await runStep(ports, run, { place, step, tasks });
    if (failed !== null) return failed;
  }
  return null;
}

/** What of a step is run: nothing before the point at which the node was entered, nothing that a person passed over. */
export function tasksToRun(
  step: ChainStep,
  node: Pick<ExecNode, 'path' | 'steps'>,
  { enterAt, skipped }: Pick<Item, 'enterAt' | 'skipped'>,
): readonly ChainTask[] {
  if (skipped.includes(step.path)) return [];
  const entered = node.steps.findIndex(({ path }) => enterAt !== null && isWithin(enterAt, path));
  const index = node.steps.indexOf(step);
  if (index < entered) return [];
  const only = index === entered && enterAt !== step.path ? enterAt : null;
  return step.tasks.filter(({ path }) => !skipped.includes(path) && (only === null || isWithin(only, path)));
}

function isWithin(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}.`);
}

/** Runs the tasks of a step side by side, and the step once more after its recovery. */
async function runStep(
  ports: WalkPorts,
  run: Run,
  { place, step, tasks }: { readonly place: NodePlace; readonly step: ChainStep; readonly tasks: readonly ChainTask[] },
): Promise<Stopped | null> {
  for (;;) {
    await finishRecovery(ports, run, place, step);
    const failed = await runTasks(ports, run, { place, path: step.path, tasks });
    if (failed === null || !(await recover(run, place, step, failed))) return failed;
  }
}

async function runPlainSteps(ports: WalkPorts, run: Run, place: NodePlace, steps: readonly PlainStep[]): Promise<void> {
  for (const { path, tasks } of steps) {
    const failed = await runTasks(ports, run, { place, path, tasks });
    if (failed !== null) throw failed;
  }
}

/**
 * Runs tasks side by side and waits for all of them. What keeps the item from going on whatever a repair does is thrown,
 * an interruption before all else; failures of tasks are answered together.
 */
async function runTasks(
  ports: WalkPorts,
  run: Run,
  { place, path, tasks }: { readonly place: NodePlace; readonly path: string; readonly tasks: readonly ChainTask[] },
): Promise<Stopped | null> {
  const ends = await Promise.allSettled(tasks.map((task) => runTaskOrRecover(ports, run, place, task)));
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const worst = errors.find((error) => error instanceof Interrupt) ?? errors.find((error) => !isFailure(error));
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- thrown on as it came.
  if (worst !== undefined) throw worst;
  const agents = tasks.filter((task) => task.kind === 'agent');
  const [first] = agents;
  const context = await contextOf(ports, run, place, path);
  if (first !== undefined) {
    const leftovers = `${agents.length === 1 ? first.path : path}.commit_leftovers`;
    // An agent that failed stops here as it always did; what it left stays in the worktree for a person.
    if (!errors.some((error) => isFailure(error))) await finishAgents(ports, run, context, leftovers);
  }
  const found = place.node.fixLoop === null ? null : await listFindings(ports, context, agents);
  return join([...errors.filter(isFailure), ...(found === null ? [] : [found])]);
}

/** Runs a task, and once more after its own recovery. */
async function runTaskOrRecover(ports: WalkPorts, run: Run, place: NodePlace, task: ChainTask): Promise<void> {
  for (;;) {
    await finishRecovery(ports, run, place, task);
    try {
      await runTask(ports, run, await contextOf(ports, run, place, task.path), task);
      return;
    } catch (error) {
      if (!isFailure(error) || !(await recover(run, place, task, error))) throw error;
    }
  }
}

/**
 * Notes that the recovery of a failed part is to run, once for an entry of its node; false when there is none, or it ran.
 * `finishRecovery`, with which each part begins, then runs it.
 */
async function recover(run: Run, place: NodePlace, part: Recoverable, failed: Stopped): Promise<boolean> {
  if (part.onFailure.length === 0) return false;
  // Parts that fail side by side each add their own.
  return run.inTurn(async () => {
    const { recovered } = await run.item();
    if (recovered.includes(part.path)) return false;
    await run.record({
      nodeId: place.node.id,
      item: { recovered: [...recovered, part.path] },
      events: [
        {
          type: 'node_recovery_started',
          payload: { node_id: place.node.id, path: part.path, failed_tasks: failed.failures.map(({ task }) => task) },
        },
      ],
    });
    return true;
  });
}

/** Runs what of the part's recovery has not run yet, also after a pause or a crash in its middle; nothing before it failed. */
async function finishRecovery(ports: WalkPorts, run: Run, place: NodePlace, part: Recoverable): Promise<void> {
  if (part.onFailure.length === 0 || !(await run.item()).recovered.includes(part.path)) return;
  await runPlainSteps(ports, run, place, part.onFailure);
}

/** Read anew for each task: the loop and the recoveries say which run of it this is. */
async function contextOf(ports: WalkPorts, run: Run, place: NodePlace, path: string): Promise<TaskContext> {
  const item = await run.item();
  const { ready, worktree, node } = place;
  return {
    ready,
    worktree,
    nodeId: node.id,
    item,
    remainingMs: await loopRemainingMs(ports, { item, place }),
    failures: await tellFailures(ports, await failuresFor(ports, item, path)),
    threads: await listOpenThreads(ports, item),
  };
}

/** What the tasks of a repair or of a recovery are there to mend. */
async function failuresFor(ports: WalkPorts, item: Item, path: string): Promise<readonly TaskFailure[]> {
  if (item.fixLoop?.phase === 'repair') return item.fixLoop.failures;
  const part = /^(?<part>.+)\.on_failure(?:\.|$)/u.exec(path)?.groups?.['part'];
  if (part === undefined) return [];
  const rows = await ports.store.listSessions({ itemId: item.id, statuses: ['failed'] });
  return rows
    .filter((row) => row.attempt === item.attempt && isWithin(row.task, part) && !row.task.includes('.on_failure.'))
    .map(({ task, command: what, exitCode, reason, id: sessionId, findings }) => ({
      task,
      what,
      exitCode,
      reason,
      sessionId,
      findings,
    }));
}

function isFailure(error: unknown): error is Stopped {
  return error instanceof Stopped && error.failures.length > 0;
}

/** Several failed tasks as one stop: the first one's words, everybody's failures. */
function join(failed: readonly Stopped[]): Stopped | null {
  const [first, ...rest] = failed;
  if (first === undefined) return null;
  if (rest.length === 0) return first;
  const failures: readonly TaskFailure[] = failed.flatMap((each) => each.failures);
  const reason = failed.map((each) => each.message).join(' ');
  const facts = Object.assign({}, ...failed.map((each) => each.stop.facts)) as Record<string, unknown>;
  return new Stopped(
    { ...first.stop, reason, facts: { ...facts, failed_tasks: failures.map(({ task }) => task) } },
    failures,
  );
}
