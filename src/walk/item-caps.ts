import { toTimestamp } from '../base/index.ts';
import { listTasks, type Chain } from '../chain/index.ts';
import type { PolicyLayer, PolicySettings } from '../config/index.ts';
import type { KraftEvent } from '../events/index.ts';
import {
  dailyCap,
  explainTimeCap,
  findReached,
  isWithin,
  meetCaps,
  renderReached,
  type CapLayer,
  type CapNumbers,
  type Caps,
  type CapScope,
  type ItemStop,
  type ReachedCap,
  type SessionUse,
  type Use,
} from '../items/index.ts';
import type { SessionRow } from '../store/index.ts';
import { walkErrors } from './errors.ts';
import type { Frozen } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import { stopFromError } from './stops.ts';

/** What caps a session of the task: policy.yaml as it is now, the repository and the chain as frozen. Errors: those of policy.yaml. */
export async function loadCaps(
  ports: Pick<WalkPorts, 'loadPolicy'>,
  { repo, chain }: Frozen,
  task: string,
): Promise<Caps> {
  const policy = await ports.loadPolicy();
  const { defaults } = policy.layers;
  return meetCaps([itemScope(policy, { repo, chain }), ...partScopes(chain, task)], {
    defaults: defaults === null ? null : layerOf('`defaults` of policy.yaml', defaults),
    dailyUsd: dailyCap(policy.dailyUsd),
  });
}

/** What the item's sessions and today's agents have taken by now. */
export async function loadUse(ports: Pick<WalkPorts, 'store' | 'clock'>, itemId: string): Promise<Use> {
  const nowMs = ports.clock.nowMs();
  const [rows, todayUsd] = await Promise.all([
    ports.store.listSessions({ itemId, statuses: null }),
    ports.store.spentUsd(`${toTimestamp(nowMs).slice(0, 10)}T00:00:00.000Z`),
  ]);
  return { sessions: rows.map((row) => useOf(row, nowMs)), todayUsd };
}

/** Tokens that came out of a cache are not counted: they are no new work. */
export function useOf(row: SessionRow, nowMs: number): SessionUse {
  const { task, inputTokens, outputTokens, costUsd, startedAt, wallMs } = row;
  const isRunning = row.status === 'running' && startedAt !== null;
  return {
    task,
    ms: wallMs ?? (isRunning ? Math.max(0, nowMs - Date.parse(startedAt)) : 0),
    tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    usd: costUsd ?? 0,
  };
}

function itemScope({ layers, workItemUsd }: PolicySettings, { repo, chain }: Frozen): CapScope {
  const { maxima } = layers;
  return {
    path: null,
    layers: [
      ...(maxima === null ? [] : [layerOf('`maxima` of policy.yaml', maxima)]),
      ...(repo.policyLayer === null ? [] : [layerOf('`policy` of the entry in repos.yaml', repo.policyLayer)]),
      ...chain.policy.map((layer) => layerOf(`the policy of the chain ${chain.id}`, layer)),
      ...(workItemUsd === null ? [] : [workItemLayer(workItemUsd)]),
    ],
  };
}

function workItemLayer(usd: number): CapLayer {
  return {
    source: 'policy.yaml',
    key: 'budgets.work_item_usd',
    numbers: { time_cap_minutes: null, total_time_cap_minutes: null, token_budget: null, budget_usd: usd },
  };
}

/** The parts of the chain that a task is in, outermost first, each with the policy that is its own. */
function partScopes(chain: Chain, task: string): readonly CapScope[] {
  const parts = [
    ...chain.nodes.flatMap((node) => (node.kind === 'exec' ? [node, ...node.steps] : [])),
    ...listTasks(chain).map((each) => each.task),
  ]
    .filter(({ path }) => isWithin(task, path))
    .sort((one, other) => one.path.length - other.path.length);
  let around = chain.policy.length;
  return parts.map(({ path, policy }) => {
    const own = policy.slice(around);
    around = policy.length;
    return { path, layers: own.map((layer) => layerOf(`the policy of ${path} in the chain ${chain.id}`, layer)) };
  });
}

function layerOf(source: string, numbers: Pick<PolicyLayer, keyof CapNumbers>): CapLayer {
  return { source, key: null, numbers };
}

/** The bound that ended a session of which only the row is left; null where it was none of the policy's. */
export async function explainCapped(ports: WalkPorts, frozen: Frozen, row: SessionRow): Promise<ReachedCap | null> {
  const caps = await loadCaps(ports, frozen, row.task);
  const use = await loadUse(ports, row.itemId);
  return findReached(caps, use, { spends: row.harness !== null }) ?? explainTimeCap(caps, use, row.wallMs ?? 0);
}

/** The fact that a bound was reached. */
export function capEvent(reached: ReachedCap): KraftEvent {
  const { scope, field, limit, used } = reached;
  return field === 'time_cap_minutes' || field === 'total_time_cap_minutes'
    ? { type: 'time_cap_reached', payload: { scope, field, minutes: limit, reason: renderReached(reached) } }
    : { type: 'scope_budget_reached', payload: { scope, field, limit, used } };
}

/** The stop that a bound amounts to: no recovery and no repair would help (CC 6.2). */
export function capStop(reached: ReachedCap, itemId: string, sessionId: string | null): ItemStop {
  const { scope, field, limit, used, source } = reached;
  const isTime = field === 'time_cap_minutes' || field === 'total_time_cap_minutes';
  const params = { why: renderReached(reached), source, id: itemId, isDaily: field === 'daily_usd' };
  const error = isTime ? walkErrors.create('TIME_CAP_REACHED', params) : walkErrors.create('BUDGET_REACHED', params);
  const facts = { scope, field, limit, used, source };
  return { ...stopFromError(error, { sessionId, facts }), kind: isTime ? 'cap' : 'budget' };
}
