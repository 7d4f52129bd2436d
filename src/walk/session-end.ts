import type { StopKind } from '../events/index.ts';
import type { Worktree } from '../git/index.ts';
import { runOf, type Item, type PromptFailure, type TaskFailure, type ThreadView } from '../items/index.ts';
import type { SessionRow } from '../store/index.ts';
import { capStop, explainCapped } from './item-caps.ts';
import type { WalkPorts } from './ports.ts';
import type { Ready } from './ready.ts';
import type { SessionEnd } from './conclude-session.ts';
import type { SessionRequest } from './session.ts';
import { Stopped } from './stops.ts';

/** What a task runs in. */
export interface TaskContext {
  readonly ready: Ready;
  readonly worktree: Worktree;
  readonly nodeId: string;
  /** The item as it is: its loop and recoveries say which run of a task this is. */
  readonly item: Item;
  /** Milliseconds that what is around the task (a fix loop) leaves to it; null for no bound. */
  readonly remainingMs: number | null;
  /** What it is there to mend; empty outside a repair and a recovery. */
  readonly failures: readonly PromptFailure[];
  /** Open review threads that its agents are told of; empty but behind a rejection. */
  readonly threads: readonly ThreadView[];
}

/** A session without an agent. `commandText` is the command as people know it. */
export function subprocessRequest(
  { nodeId, item }: TaskContext,
  task: string,
  command: readonly string[],
): SessionRequest {
  return {
    nodeId,
    task,
    attempt: item.attempt,
    run: runOf(item, task),
    harness: null,
    command,
    commandText: command.join(' '),
    env: {},
    envNames: [],
    configDir: null,
    harnessHosts: [],
    steer: null,
    earlier: null,
  };
}

/**
 * How this run of the task ended already, before a pause elsewhere or a restart of the daemon; null when it has yet
 * to run. A paused session does not count: its task runs anew.
 */
export async function findEnd(ports: WalkPorts, context: TaskContext, task: string): Promise<SessionEnd | null> {
  const rows = await ports.store.listSessions({ itemId: context.item.id, statuses: null });
  const { item, nodeId } = context;
  const run = runOf(item, task);
  const last = rows.findLast(
    (row) => row.nodeId === nodeId && row.task === task && row.attempt === item.attempt && row.run === run,
  );
  if (last === undefined || !hasEnded(last)) return null;
  const { id: sessionId, command: what, findings, status, exitCode, reason } = last;
  const reached = status === 'capped_out' ? await explainCapped(ports, context.ready, last) : null;
  const end = { sessionId, task, what, findings, status, exitCode, reason, reached };
  return { ...end, code: null, remedy: null, limitedUntil: null };
}

function hasEnded(row: SessionRow): row is SessionRow & { readonly status: SessionEnd['status'] } {
  return (
    row.status !== 'pending' && row.status !== 'running' && row.status !== 'paused' && row.status !== 'rate_limited'
  );
}

/** Turns every end but a good one into the stop that a person sees. */
export function refuseUnlessDone(end: SessionEnd, item: Item): void {
  if (end.reached !== null) throw new Stopped(capStop(end.reached, item.id, end.sessionId));
  const words = stopWords[end.status];
  if (words === null) return;
  const look = `Read its output with \`kraft view logs ${item.id}\`, then run \`kraft item retry ${item.id}\`.`;
  throw new Stopped(
    {
      kind: words.kind,
      code: end.code,
      reason: words.reason(end),
      remedy: end.remedy ?? `${words.remedy}${look}`,
      sessionId: end.sessionId,
      facts: { session_id: end.sessionId, exit_code: end.exitCode },
    },
    words.kind === 'failed' ? [failureOf(end)] : [],
  );
}

/** A failed session as what a recovery or a repair is told of it. */
export function failureOf({ task, what, exitCode, reason, sessionId, findings }: SessionEnd): TaskFailure {
  return { task, what, exitCode, reason, sessionId, findings };
}

interface StopWords {
  readonly kind: StopKind;
  readonly reason: (end: SessionEnd) => string;
  /** Put before where to look; may be empty. */
  readonly remedy: string;
}

const unknownEnd: StopWords = {
  kind: 'infra',
  reason: (end) => end.reason ?? 'Nobody knows how the session ended.',
  remedy: '',
};

const stopWords: Readonly<Record<SessionEnd['status'], StopWords | null>> = {
  done: null,
  done_with_concerns: null,
  needs_context: {
    kind: 'question',
    reason: (end) => `The agent asks: ${end.reason ?? 'it did not say what'}`,
    remedy: 'Put the answer where the agent finds it: the worktree, or the description of a new item. ',
  },
  failed: {
    kind: 'failed',
    reason: (end) => end.reason ?? `The task failed${exitText(end)}.`,
    remedy: '',
  },
  config_error: {
    kind: 'config',
    reason: (end) => end.reason ?? 'The session could not be run as configured.',
    remedy: '',
  },
  capped_out: {
    kind: 'cap',
    // No policy’s bound: those say themselves where they are raised.
    reason: () => 'The session used up the time that its fix loop had left.',
    remedy: 'Raise the wall clock of the loop (`loops` in policy.yaml, `timeout_minutes` of a policy). ',
  },
  paused: unknownEnd,
  rate_limited: unknownEnd,
  unknown: unknownEnd,
};

/** ` with exit code 3`, or nothing where there is none. */
export function exitText(end: SessionEnd): string {
  return end.exitCode === null || end.exitCode === 0 ? '' : ` with exit code ${end.exitCode}`;
}
