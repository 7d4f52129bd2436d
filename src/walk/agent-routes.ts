import { KraftError } from '../base/index.ts';
import type { AgentChainTask, FallbackEntry } from '../chain/index.ts';
import type { AgentProfile, ResolvedRepo } from '../config/index.ts';
import { refuseAgent, type SelectedHarness } from '../harness/index.ts';
import type { Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import type { WalkPorts } from './ports.ts';
import type { Ready } from './ready.ts';

/** One way to run an agent task, as chain and profiles name it. */
export interface Route {
  /** Profile of harnesses.yaml, or harness id. */
  readonly harness: string;
  /** Agent profile that chooses model and effort; null for none. */
  readonly profile: string | null;
  readonly model: string | null;
  readonly effort: string | null;
}

/** A route that can be launched now. */
export interface OpenRoute {
  readonly selected: SelectedHarness;
  readonly model: string | null;
  readonly effort: string | null;
}

/** Agent profiles of harnesses.yaml by id. */
export type AgentProfiles = Readonly<Record<string, AgentProfile>>;

/** The task's own route, then its fallbacks in order; the task's list takes the place of its profile's (CC 4.5). Pure. */
export function listRoutes(
  task: Pick<AgentChainTask, 'harness' | 'profile' | 'model' | 'effort' | 'fallback'>,
  item: Pick<Item, 'harness'>,
  profiles: AgentProfiles,
): readonly [Route, ...Route[]] {
  const { profile, model, effort } = task;
  const first: Route = { harness: task.harness ?? item.harness, profile, model, effort };
  const entries = task.fallback ?? findProfile(profile, profiles)?.fallback ?? [];
  return [first, ...entries.map((entry) => fallbackRoute(entry, first))];
}

/** What an entry leaves out is the task's own, but for a model: another product does not know it. */
function fallbackRoute(entry: FallbackEntry, first: Route): Route {
  const harness = entry.harness ?? first.harness;
  const { profile, model, effort } = entry;
  if (profile !== null) return { harness, profile, model: null, effort: null };
  if (model !== null || effort !== null) return { harness, profile: null, model, effort };
  return { harness, profile: first.profile, model: null, effort: null };
}

/** The route in a few words, for people and events. */
export function renderRoute({ harness, profile, model, effort }: Route): string {
  const chosen = [profile, model, effort].filter((part) => part !== null);
  return chosen.length === 0 ? harness : `${harness} (${chosen.join(', ')})`;
}

/** Model of a route: the task's or its profile's, else the repository's for the harness, else that of the harness's profile (CC 1.3). Pure. */
export function chooseModel(
  route: Pick<Route, 'model'>,
  profile: AgentProfile | null,
  { repo, selected }: { readonly repo: Pick<ResolvedRepo, 'models'>; readonly selected: SelectedHarness },
): string | null {
  return (
    route.model ??
    own(profile?.models, selected.harness.id) ??
    own(repo.models, selected.name) ??
    selected.defaults.model
  );
}

/**
 * What a route comes to now: harnesses.yaml and the harness file are read anew. Errors: HARNESS_UNKNOWN,
 * HARNESS_PROFILE_DISABLED, AGENT_PROFILE_UNKNOWN, those of the files.
 */
export async function openRoute(
  ports: Pick<WalkPorts, 'loadHarness'>,
  route: Route,
  { repo, profiles }: { readonly repo: Pick<ResolvedRepo, 'models'>; readonly profiles: AgentProfiles },
): Promise<OpenRoute> {
  const selected = await ports.loadHarness(route.harness);
  const profile = findProfile(route.profile, profiles);
  if (route.profile !== null && profile === null) {
    throw walkErrors.create('AGENT_PROFILE_UNKNOWN', { name: route.profile, known: Object.keys(profiles) });
  }
  return {
    selected,
    model: chooseModel(route, profile, { repo, selected }),
    effort: route.effort ?? profile?.effort ?? selected.defaults.effort,
  };
}

/** The first route of a task that is there; what is wrong with the first one when none is. Errors: as `openRoute`. */
export async function openFirst(
  ports: Pick<WalkPorts, 'loadHarness' | 'loadAgentProfiles'>,
  task: AgentChainTask,
  { item, repo }: { readonly item: Pick<Item, 'harness'>; readonly repo: Pick<ResolvedRepo, 'models'> },
): Promise<OpenRoute> {
  const profiles = await ports.loadAgentProfiles();
  let first: unknown = null;
  for (const route of listRoutes(task, item, profiles)) {
    try {
      return await openRoute(ports, route, { repo, profiles });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      first ??= error;
    }
  }
  throw first;
}

/** Whether an error says that a route is not there, so that the next one is tried. */
export function isUnavailable(error: unknown): error is KraftError {
  return error instanceof KraftError && error.kind === 'config';
}

/** A harness that the sandbox or the policy refuses is a mistake of the configuration, also as a fallback. Errors: HARNESS_*. */
export function checkRoute({ selected }: OpenRoute, { repo, sandbox }: Pick<Ready, 'repo' | 'sandbox'>): void {
  const { toolPolicy, policy } = repo;
  const refusal = refuseAgent({
    harness: selected.harness,
    hasRoute: sandbox.network !== null,
    toolPolicy,
    policy,
  });
  if (refusal !== null) throw refusal;
}

function findProfile(name: string | null, profiles: AgentProfiles): AgentProfile | null {
  return name === null ? null : (own(profiles, name) ?? null);
}

function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
