import { Secret } from '../base/index.ts';
import { decideProxies, type ProxyDecision } from './proxies.ts';

/** Reads one variable of the process that runs Kraft. */
export type EnvReader = (name: string) => string | undefined;

/** Credentials of agents that cross by name into every session (CC 1.2). */
export const agentCredentialNames = ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'];

/** What Kraft tells a session about itself; values come with the launch. */
export const sessionVariableNames = [
  'KRAFT_RESULT_PATH',
  'KRAFT_WORK_ITEM_ID',
  'KRAFT_SESSION_ID',
  'KRAFT_REVIEW_PACKAGE',
];

export interface ForwardRequest {
  /** Names that the launch sets itself (`sessionVariableNames`) and those of agents (`agentCredentialNames`, harness). */
  readonly ownNames: readonly string[];
  /** The repository's `env` of repos.yaml. */
  readonly repoEnv: Readonly<Record<string, string>>;
  /** The repository's `env_passthrough`. */
  readonly envPassthrough: readonly string[];
  /** Under a `network` the relay is the only proxy: none of this machine's crosses. */
  readonly network: boolean;
}

/** Names alone: a plan holds no value. */
export interface ForwardPlan {
  /** In order, without duplicates: what a `ContainerSpec` passes bare. */
  readonly names: readonly string[];
  readonly proxies: readonly ProxyDecision[];
}

/**
 * Which variables cross into a container, by name (SI 1.6). Sessions, setup commands and probes go through this one
 * filter (PF-C18): what is not listed here does not cross. Reads of `env` only whether and where proxies point.
 */
export function planForwarding(request: ForwardRequest, env: EnvReader): ForwardPlan {
  const proxies = request.network ? [] : decideProxies(env);
  const names = new Set([
    ...request.ownNames,
    ...proxies.filter((proxy) => proxy.forwarded).map((proxy) => proxy.name),
    ...request.envPassthrough,
    ...Object.keys(request.repoEnv),
  ]);
  return { names: [...names], proxies };
}

/**
 * The values of planned names at the moment of use: the launch's own win over the repository's `env`, and that over the
 * daemon's. A name that is set nowhere is absent, never empty.
 */
export function readForwarded(
  names: readonly string[],
  sources: {
    readonly launchEnv: Readonly<Record<string, string>>;
    readonly repoEnv: Readonly<Record<string, string>>;
    readonly env: EnvReader;
  },
): ReadonlyMap<string, Secret> {
  const values = new Map<string, Secret>();
  for (const name of names) {
    const value = own(sources.launchEnv, name) ?? own(sources.repoEnv, name) ?? sources.env(name);
    if (value !== undefined) values.set(name, new Secret(name, value));
  }
  return values;
}

/** Opens the values for the environment of an engine's client: the point of use. */
export function revealForwarded(values: ReadonlyMap<string, Secret>): Record<string, string> {
  return Object.fromEntries([...values].map(([name, secret]) => [name, secret.reveal()]));
}

function own(from: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}
