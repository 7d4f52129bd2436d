import { createHash } from 'node:crypto';
import type { AgentChainTask, ExecNode } from '../chain/index.ts';
import { meetLayers, resolvePolicy, type PolicySettings, type ResolvedRepo } from '../config/index.ts';
import type { Finding, KraftEvent } from '../events/index.ts';
import {
  decideFixLoop,
  normalizeOutput,
  type FixLoop,
  type Item,
  type LoopBounds,
  type PromptFailure,
  type TaskFailure,
} from '../items/index.ts';
import type { Worktree } from '../git/index.ts';
import { walkErrors } from './errors.ts';
import type { WalkPorts } from './ports.ts';
import { readTail } from './read-tail.ts';
import type { Ready } from './ready.ts';
import type { Run } from './run.ts';
import { Stopped, stopFromError } from './stops.ts';
import { runTask } from './tasks.ts';

/** What a node runs in. */
export interface NodePlace {
  readonly ready: Ready;
  readonly worktree: Worktree;
  readonly node: ExecNode;
}

/** The next repair, or the stop, with the events that go before either. */
export type NextRepair =
  | { readonly kind: 'repair'; readonly loop: FixLoop; readonly events: readonly KraftEvent[] }
  | { readonly kind: 'stop'; readonly stopped: Stopped; readonly events: readonly KraftEvent[] };

/** Measures a failed run of a node with a fix loop against what the loop has tried. Records nothing. */
export async function nextRepair(
  ports: WalkPorts,
  run: Run,
  { place, failed }: { readonly place: NodePlace; readonly failed: Stopped },
): Promise<NextRepair> {
  const { node, ready } = place;
  const item = await run.item();
  const { failures } = failed;
  const before = item.fixLoop?.nodeId === node.id ? item.fixLoop : null;
  const bounds = boundsOf(node, ready.repo, await ports.loadPolicy());
  const [fingerprint, usedMs] = await Promise.all([takeFingerprint(ports, failures), loopUsedMs(ports, item, node)]);
  const decision = decideFixLoop(before, { nodeId: node.id, failures, fingerprint, usedMs }, bounds);
  const measured: KraftEvent = {
    type: 'findings_measured',
    payload: { node_id: node.id, cycle: before?.cycle ?? 0, findings: failures.flatMap(findingsOf), dropped: 0 },
  };
  if (decision.kind === 'repair') return { kind: 'repair', loop: decision.loop, events: [measured] };
  const { why, cycle } = decision;
  const scope = `${node.id}.fix_loop`;
  return {
    kind: 'stop',
    events: [measured, ...capEvents(why, scope, bounds)],
    stopped: loopStop(item, { why, cycle, bounds, failed, node: node.id }),
  };
}

/** Smallest bounds that anybody set: the loop's own or policy.yaml's, and the policies around the node (CC 6.6). */
export function boundsOf(
  { id, fixLoop, policy }: Pick<ExecNode, 'id' | 'fixLoop' | 'policy'>,
  repo: Pick<ResolvedRepo, 'policyLayer'>,
  settings: Pick<PolicySettings, 'loop' | 'loops' | 'layers'>,
): LoopBounds {
  const usual = settings.loops[id] ?? settings.loop;
  const met = resolvePolicy(
    meetLayers([...(repo.policyLayer === null ? [] : [repo.policyLayer]), ...policy]),
    settings.layers,
  );
  return {
    maxAttempts: Math.min(fixLoop?.maxAttempts ?? usual.maxAttempts, met.maxAttempts ?? Infinity),
    wallClockMs: Math.min(usual.wallClockMs, (met.timeoutMinutes ?? Infinity) * 60_000),
  };
}

/** What the loop that a node is in leaves to the next session; null outside a loop. */
export async function loopRemainingMs(
  ports: WalkPorts,
  { item, place }: { readonly item: Item; readonly place: NodePlace },
): Promise<number | null> {
  if (item.fixLoop?.nodeId !== place.node.id) return null;
  const bounds = boundsOf(place.node, place.ready.repo, await ports.loadPolicy());
  return Math.max(1, bounds.wallClockMs - (await loopUsedMs(ports, item, place.node)));
}

/** Time of the loop's repairs and new runs: sessions, so that neither a pause nor a night switched off counts. */
async function loopUsedMs(ports: WalkPorts, item: Item, node: Pick<ExecNode, 'id'>): Promise<number> {
  const rows = await ports.store.listSessions({ itemId: item.id, statuses: null });
  return rows
    .filter((row) => row.nodeId === node.id && row.attempt === item.attempt && row.run > 0)
    .reduce((sum, row) => sum + (row.wallMs ?? 0), 0);
}

/** Equal for runs that failed alike: the same tasks, exits, findings and, but for what always differs, output. */
async function takeFingerprint(ports: WalkPorts, failures: readonly TaskFailure[]): Promise<string> {
  const parts = await Promise.all(
    failures.map(async ({ task, exitCode, findings, sessionId }) => {
      const row = sessionId === null ? null : await ports.store.getSession(sessionId);
      const output = row === null || findings.length > 0 ? '' : normalizeOutput(await readTail(row.logPath));
      return [task, exitCode, findings.map(({ message, file, severity }) => [message, file, severity]), output];
    }),
  );
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Failures as the agents that are to mend them are told of them. */
export async function tellFailures(
  ports: WalkPorts,
  failures: readonly TaskFailure[],
): Promise<readonly PromptFailure[]> {
  return Promise.all(
    failures.map(async ({ what, exitCode, findings, sessionId }) => {
      const row = sessionId === null ? null : await ports.store.getSession(sessionId);
      return { what, exitCode, findings, output: row === null ? '' : await readTail(row.logPath) };
    }),
  );
}

/** A task that failed without a word of its own is one critical finding. */
function findingsOf({ findings, task, what, reason, exitCode }: TaskFailure): readonly Finding[] {
  if (findings.length > 0) return findings;
  const message = reason ?? `\`${what}\` failed${exitCode === null ? '' : ` with exit code ${exitCode}`}`;
  return [{ severity: 'critical', message, source: task, file: null, line: null }];
}

function capEvents(why: 'stuck' | 'attempts' | 'time', scope: string, bounds: LoopBounds): readonly KraftEvent[] {
  if (why === 'attempts') {
    const { maxAttempts } = bounds;
    return [
      {
        type: 'scope_budget_reached',
        payload: { scope, field: 'max_attempts', limit: maxAttempts, used: maxAttempts },
      },
    ];
  }
  if (why === 'stuck') return [];
  const minutes = bounds.wallClockMs / 60_000;
  const reason = 'the repairs and their runs took that long together';
  return [{ type: 'time_cap_reached', payload: { scope, field: 'timeout_minutes', minutes, reason } }];
}

function loopStop(
  { id }: Item,
  what: {
    readonly why: 'stuck' | 'attempts' | 'time';
    readonly cycle: number;
    readonly bounds: LoopBounds;
    readonly failed: Stopped;
    readonly node: string;
  },
): Stopped {
  const { why, cycle, bounds, failed, node } = what;
  const words = {
    stuck: `The same failure came three times in a row in ${node}: another repair is not worth its while.`,
    attempts: `All ${bounds.maxAttempts} repairs of ${node} are used up.`,
    time: `The repairs of ${node} have taken the ${bounds.wallClockMs / 60_000} minutes that they may.`,
  };
  const raise = {
    stuck: '',
    attempts: `, or allow more (\`loops.${node}.fix_loop.max_attempts\` in policy.yaml)`,
    time: `, or allow more (\`loops.${node}.fix_loop.wall_clock_s\` in policy.yaml)`,
  };
  return new Stopped({
    ...failed.stop,
    kind: why === 'stuck' ? 'stuck' : 'cap',
    reason: `${words[why]} ${failed.stop.reason}`,
    remedy: `Read the output with \`kraft view logs ${id}\` and mend the cause in the worktree${raise[why]}; then run \`kraft item retry ${id}\`.`,
    facts: { ...failed.stop.facts, node, repairs: cycle, max_attempts: bounds.maxAttempts },
  });
}

/** Asks the loop's judge whether another repair is worth it; returns when it is. Errors: the stop that it asks for. */
export async function runJudge(
  ports: WalkPorts,
  run: Run,
  { place, judge, failed }: { readonly place: NodePlace; readonly judge: AgentChainTask; readonly failed: Stopped },
): Promise<void> {
  const { ready, worktree, node } = place;
  const item = await run.item();
  const remainingMs = await loopRemainingMs(ports, { item, place });
  const failures = await tellFailures(ports, failed.failures);
  await runTask(ports, run, { ready, worktree, nodeId: node.id, item, remainingMs, failures, threads: [] }, judge);
  const rows = await ports.store.listSessions({ itemId: item.id, statuses: null });
  const row = rows.findLast((each) => each.task === judge.path && each.attempt === item.attempt) ?? null;
  const [verdict, reasoning, sessionId] = [row?.verdict ?? null, row?.reason ?? null, row?.id ?? null];
  if (verdict !== null) {
    const payload = { node_id: node.id, cycle: item.fixLoop?.cycle ?? 0, verdict, reasoning };
    await run.record({ nodeId: node.id, events: [{ type: 'judge_verdict', payload }] });
  }
  if (verdict === 'continue') return;
  const error = walkErrors.create('JUDGE_STOPS', { node: node.id, verdict, why: reasoning, id: item.id });
  throw new Stopped({ ...stopFromError(error, { sessionId, facts: failed.stop.facts }), kind: 'stuck' });
}
