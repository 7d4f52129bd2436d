import type { PolicyLayer } from './policy-schema.ts';
import type { RepoPolicy, ToolPolicy } from './resolved.ts';

/** `policy.yaml` around a repository: `defaults` fill what it leaves open, `maxima` bound whatever it says. */
export interface PolicyLayers {
  readonly defaults: PolicyLayer | null;
  readonly maxima: PolicyLayer | null;
}

/** No `policy.yaml`. */
export const noPolicyLayers: PolicyLayers = { defaults: null, maxima: null };

/**
 * The tool policy of a repository (CC 1.5): denials of every layer join, allow lists and grants intersect with the
 * maxima. Without an allow list anywhere every tool is allowed that is not denied.
 */
export function resolveToolPolicy(
  own: PolicyLayer | null,
  denied: readonly string[],
  layers: PolicyLayers,
): ToolPolicy {
  const every = [layers.defaults, own, { deny_tools: denied }, layers.maxima];
  return {
    allowedTools: within(own, layers, 'allowed_tools'),
    denyTools: [...new Set(every.flatMap((layer) => layer?.deny_tools ?? []))],
    grants: grantsOf(own, layers),
  };
}

/**
 * What layers inside one another say together, outermost first (CC 1.5): lists of what is allowed intersect, denials join, the
 * smallest number holds. A layer that says nothing about a field changes nothing about it, and none can widen what is around
 * it: `escalation_harness` is the outermost one’s. Pure; the sandbox has its own lock.
 */
export function meetLayers(layers: readonly PolicyLayer[]): PolicyLayer {
  const said = <K extends keyof PolicyLayer>(key: K): readonly NonNullable<PolicyLayer[K]>[] =>
    layers.flatMap((layer) => (layer[key] === null ? [] : [layer[key] as NonNullable<PolicyLayer[K]>]));
  const least = (key: NumberKey): number | null => (said(key).length === 0 ? null : Math.min(...said(key)));
  const denied = said('deny_tools');
  return {
    allowed_tools: intersect(said('allowed_tools')),
    deny_tools: denied.length === 0 ? null : [...new Set(denied.flat())],
    grants: intersect(said('grants')),
    allowed_harnesses: intersect(said('allowed_harnesses')),
    timeout_minutes: least('timeout_minutes'),
    max_attempts: least('max_attempts'),
    time_cap_minutes: least('time_cap_minutes'),
    total_time_cap_minutes: least('total_time_cap_minutes'),
    token_budget: least('token_budget'),
    budget_usd: least('budget_usd'),
    escalation_harness: said('escalation_harness')[0] ?? null,
  };
}

function intersect<T>(lists: readonly (readonly T[])[]): T[] | null {
  const [first, ...rest] = lists;
  return first === undefined ? null : [...new Set(first)].filter((entry) => rest.every((list) => list.includes(entry)));
}

/** Grants are given, never assumed: a maximum alone grants nothing. */
function grantsOf(own: PolicyLayer | null, layers: PolicyLayers): readonly string[] {
  const given = own?.grants ?? layers.defaults?.grants ?? null;
  return given === null ? [] : (within(own, layers, 'grants') ?? []);
}

/** Numbers and names of the policy: the repository's, else the default, never above the maximum. */
export function resolvePolicy(own: PolicyLayer | null, layers: PolicyLayers): RepoPolicy {
  const { defaults, maxima } = layers;
  const bounded = (key: NumberKey): number | null =>
    smaller(own?.[key] ?? defaults?.[key] ?? null, maxima?.[key] ?? null);
  return {
    allowedHarnesses: within(own, layers, 'allowed_harnesses'),
    timeoutMinutes: bounded('timeout_minutes'),
    maxAttempts: bounded('max_attempts'),
    timeCapMinutes: bounded('time_cap_minutes'),
    totalTimeCapMinutes: bounded('total_time_cap_minutes'),
    tokenBudget: bounded('token_budget'),
    budgetUsd: bounded('budget_usd'),
    escalationHarness: maxima?.escalation_harness ?? own?.escalation_harness ?? defaults?.escalation_harness ?? null,
  };
}

type NumberKey =
  'timeout_minutes' | 'max_attempts' | 'time_cap_minutes' | 'total_time_cap_minutes' | 'token_budget' | 'budget_usd';
type ListKey = 'allowed_tools' | 'grants' | 'allowed_harnesses';

function smaller(value: number | null, maximum: number | null): number | null {
  return value === null || maximum === null ? (value ?? maximum) : Math.min(value, maximum);
}

/** The list of the repository, else of the defaults, cut down to the maximum; null when none of them says anything. */
function within(own: PolicyLayer | null, { defaults, maxima }: PolicyLayers, key: ListKey): readonly string[] | null {
  const list: readonly string[] | null = own?.[key] ?? defaults?.[key] ?? null;
  const maximum: readonly string[] | null = maxima?.[key] ?? null;
  if (list === null) return maximum;
  return [...new Set(list)].filter((entry) => maximum === null || maximum.includes(entry));
}
