import { join } from 'node:path';
import type { KraftError } from '../base/index.ts';
import type { AgentChainTask } from '../chain/index.ts';
import { renderSessionFile, spellCommand } from '../harness/index.ts';
import { renderPrompt, renderResume, runOf } from '../items/index.ts';
import type { SessionRow } from '../store/index.ts';
import {
  checkRoute,
  isUnavailable,
  listRoutes,
  openRoute,
  renderRoute,
  type OpenRoute,
  type Route,
} from './agent-routes.ts';
import type { SessionEnd } from './conclude-session.ts';
import { holdsAgentSession } from './find-agent-session.ts';
import type { WalkPorts } from './ports.ts';
import { promptFacts } from './prompt-facts.ts';
import { RateLimited } from './rate-limits.ts';
import type { Run } from './run.ts';
import { runSession, type EarlierSession, type SessionRequest } from './session.ts';
import type { TaskContext } from './session-end.ts';

/**
 * Runs an agent task by the first of its routes that is there and that no provider limits. Errors: RateLimited when each is
 * limited; what is wrong with the first route when none is there; what refuses a route.
 */
export async function launchAgent(
  ports: WalkPorts,
  run: Run,
  context: TaskContext,
  task: AgentChainTask,
): Promise<SessionEnd> {
  const { repo } = context.ready;
  const profiles = await ports.loadAgentProfiles();
  const routes = listRoutes(task, context.item, profiles);
  const plan = await planTries(ports, context, routes);
  const resets: (string | null)[] = [...plan.skipped.map(({ until }) => until)];
  let passed: Passed | null = plan.skipped[0] === undefined ? null : passedOver(plan.skipped[0]);
  const unavailable: KraftError[] = [];
  for (const route of plan.tries) {
    const open = await openRoute(ports, route, { repo, profiles }).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
      unavailable.push(error);
      passed = { route, reason: error.message };
      return null;
    });
    if (open === null) continue;
    checkRoute(open, context.ready);
    if (passed !== null) await recordFallback(run, context, { task, passed, route });
    const end = await runRoute(ports, run, context, { task, open });
    if (end.status !== 'rate_limited') return end;
    resets.push(end.limitedUntil);
    passed = { route, reason: end.reason ?? 'its provider is limited' };
  }
  const [first] = unavailable;
  if (resets.length === 0 && first !== undefined) throw first;
  run.checkpoint();
  if (routes.length > 1) {
    const reason = passed?.reason ?? 'every one is limited';
    const event = { type: 'launch_fallback_exhausted', payload: { task: task.path, reason } } as const;
    await run.record({ nodeId: context.nodeId, events: [event] });
  }
  throw new RateLimited({ nodeId: context.nodeId, task: task.path, resets });
}

interface Passed {
  readonly route: Route;
  readonly reason: string;
}

interface Skipped {
  readonly route: Route;
  readonly until: string;
}

function passedOver({ route, until }: Skipped): Passed {
  return { route, reason: `its provider is limited until ${until}` };
}

/** The routes to try, without those that this item knows to be limited; all of them where that would leave none. */
async function planTries(
  ports: WalkPorts,
  { item }: TaskContext,
  routes: readonly Route[],
): Promise<{ readonly tries: readonly Route[]; readonly skipped: readonly Skipped[] }> {
  const now = ports.clock.nowMs();
  const hits = await ports.store.events({ itemId: item.id, type: 'rate_limit_hit', afterSeq: 0, limit: 500 });
  const until = new Map<string, string>();
  for (const hit of hits) {
    if (hit.type !== 'rate_limit_hit') continue;
    const { harness, resets_at: resetsAt } = hit.payload;
    if (resetsAt !== null && Date.parse(resetsAt) > now) until.set(harness, resetsAt);
  }
  const skipped = routes.flatMap((route): Skipped[] => {
    // A harness that is named twice is named for two models, and only one of them was refused.
    const isAlone = routes.filter(({ harness }) => harness === route.harness).length === 1;
    const limited = isAlone ? until.get(route.harness) : undefined;
    return limited === undefined ? [] : [{ route, until: limited }];
  });
  const tries = routes.filter((route) => !skipped.some((each) => each.route === route));
  return tries.length === 0 ? { tries: routes, skipped: [] } : { tries, skipped };
}

async function recordFallback(
  run: Run,
  { nodeId }: TaskContext,
  { task, passed, route }: { readonly task: AgentChainTask; readonly passed: Passed; readonly route: Route },
): Promise<void> {
  const payload = {
    task: task.path,
    from: renderRoute(passed.route),
    to: renderRoute(route),
    reason: passed.reason,
  };
  await run.record({ nodeId, events: [{ type: 'launch_fallback', payload }] });
}

async function runRoute(
  ports: WalkPorts,
  run: Run,
  context: TaskContext,
  { task, open }: { readonly task: AgentChainTask; readonly open: OpenRoute },
): Promise<SessionEnd> {
  const earlier = await findEarlier(ports, context, { task, open });
  return runSession(ports, run, {
    ...context,
    // The steer is the item's of that moment: of two agents side by side only one reads it.
    request: (item) => agentRequest({ ...context, item }, { task, open, earlier }),
  });
}

/**
 * The session of the agent's own that was interrupted in this run of the task: gone on with where its harness can and its HOME
 * still has it. A HOME that was emptied meanwhile is noticed, and the agent begins anew.
 */
async function findEarlier(
  ports: WalkPorts,
  { item }: TaskContext,
  { task, open }: { readonly task: AgentChainTask; readonly open: OpenRoute },
): Promise<EarlierSession | null> {
  if (open.selected.harness.capabilities.resume === null) return null;
  const rows = await ports.store.listSessions({ itemId: item.id, statuses: null });
  const run = runOf(item, task.path);
  const last = rows.findLast(
    (row) => row.task === task.path && row.attempt === item.attempt && row.run === run && wasStarted(row),
  );
  if (last === undefined || last.harness !== open.selected.name || last.agentSession === null) return null;
  if (last.status !== 'paused' && last.status !== 'rate_limited') return null;
  const home = join(ports.paths.run, 'sandbox-home', item.id);
  const isThere = await holdsAgentSession(home, renderSessionFile(open.selected.harness, last.agentSession));
  const lost = isThere ? null : 'its HOME does not hold it any more';
  return { agentSession: last.agentSession, lost };
}

function wasStarted(row: SessionRow): boolean {
  return row.startedAt !== null;
}

/** The session that an agent task is: prompt and options in the words of its harness. */
export function agentRequest(
  { ready, item, nodeId, failures, threads }: Omit<TaskContext, 'worktree' | 'remainingMs'>,
  {
    task,
    open,
    earlier,
  }: { readonly task: AgentChainTask; readonly open: OpenRoute; readonly earlier: EarlierSession | null },
): SessionRequest {
  const { harness, name, defaults } = open.selected;
  const resume = earlier === null || earlier.lost !== null ? null : earlier.agentSession;
  const facts = promptFacts(item, ready, { task, failures, threads });
  const { context, task: prompt } = resume === null ? renderPrompt(facts) : renderResume(facts);
  // What it has read already is not put in front of the prompt once more.
  const isRepeated = resume !== null && harness.capabilities.systemPrompt === null;
  const spelled = spellCommand(harness, {
    prompt,
    context: isRepeated ? null : context,
    model: open.model,
    effort: open.effort,
    permissionMode: defaults.permissionMode,
    writableDirs: [],
    resume,
  });
  return {
    nodeId,
    task: task.path,
    attempt: item.attempt,
    run: runOf(item, task.path),
    harness: name,
    command: spelled.command,
    // The prompt would fill a screen; `view show --prompt` has it.
    commandText: harness.command.join(' '),
    env: spelled.env,
    envNames: spelled.envNames,
    configDir: spelled.configDir,
    harnessHosts: harness.networkRequires,
    steer: item.steer,
    earlier,
  };
}
