import type { HomePaths, ResolvedRepo } from '../config/index.ts';
import { configErrors } from '../config/index.ts';
import {
  decide,
  explainRefusal,
  needsAddresses,
  parseAuthority,
  planEgress,
  resolveEgressPolicy,
  type Decision,
  type EgressPolicy,
  type HostPort,
  type Lookup,
} from '../egress/index.ts';
import { loadHarnesses } from '../harness/index.ts';
import { composeErrors } from './errors.ts';
import type { HostCheck, HostCheckRequest } from './repos.ts';

/** What of the network a check asks. */
export interface HostEdges {
  /** The addresses of a canonical name. */
  readonly lookup: (name: string) => Promise<Lookup>;
  /** This machine's own addresses. */
  readonly own: () => ReadonlySet<string>;
}

const httpsPort = 443;

/**
 * What the proxy would say to a request (PF-E12: by the proxy's own matcher), for sessions of a repository. In the
 * runtime phase an agent's session also has the hosts of its harness, so that a host may be allowed to some of them.
 * Errors: HOST_MALFORMED, HOST_UNRESOLVED, REPO_SANDBOX_NONE, REPO_SANDBOX_KIT, and those of harness files.
 */
export async function checkHost(
  repo: ResolvedRepo,
  request: Omit<HostCheckRequest, 'repo'>,
  { paths, lookup, own }: HostEdges & { readonly paths: HomePaths },
): Promise<HostCheck> {
  const parsed = parseAuthority(request.host, httpsPort);
  if (parsed.kind === 'refused') {
    throw composeErrors.create('HOST_MALFORMED', { host: request.host, problem: parsed.problem });
  }
  const { target } = parsed;
  const { phase } = request;
  const { sandbox } = repo;
  if (sandbox === null) throw configErrors.create('REPO_SANDBOX_NONE', { path: repo.path });
  if (sandbox.kind === 'kit') throw configErrors.create('REPO_SANDBOX_KIT', { path: repo.path });
  const { network } = sandbox;
  if (network === null) return openEgress(repo, target, request);

  const harnesses =
    phase === 'runtime' ? [...(await loadHarnesses(paths.config)).values()].filter((each) => each.proxyAware) : [];
  const policyWith = (hosts: readonly string[]): EgressPolicy =>
    resolveEgressPolicy(planEgress({ network, phase, harnessHosts: hosts }));
  const plain = policyWith([]);
  const granting = harnesses.filter(({ networkRequires }) => allows(policyWith(networkRequires), target));
  const [first] = allows(plain, target) ? [] : granting;
  const policy = first === undefined ? plain : policyWith(first.networkRequires);
  const addresses = request.resolve && needsAddresses(policy, target) ? await resolveName(target.host, lookup) : null;
  const decision = decide(policy, target, addresses, own());
  return {
    verdict: decision,
    label: repo.label,
    addresses,
    harnesses: first === undefined ? [] : granting.map(({ id }) => id),
    remedy: decision.allow ? null : explainRefusal(decision, repo.path).remedy,
  };
}

function allows(policy: EgressPolicy, target: HostPort): boolean {
  return decide(policy, target, null, new Set()).allow;
}

async function resolveName(name: string, lookup: HostEdges['lookup']): Promise<readonly string[]> {
  const found = await lookup(name);
  if (found.kind === 'addresses') return found.addresses;
  throw composeErrors.create('HOST_UNRESOLVED', { host: name, why: found.code });
}

function openEgress(
  repo: ResolvedRepo,
  { host, port }: HostPort,
  { phase }: { readonly phase: Decision['phase'] },
): HostCheck {
  const verdict = { allow: true, reason: 'no network policy', rule: null, host, port, phase } as const;
  return { verdict, label: repo.label, addresses: null, harnesses: [], remedy: null };
}
