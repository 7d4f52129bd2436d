import type { RepoFill, ResolvedRepo } from '../config/index.ts';
import { workerImage } from '../images/index.ts';
import type { FoundRegistries } from './find-registries.ts';
import type { ConnectedNetwork, ConnectRequest } from './repos.ts';

/**
 * The sandbox of an entry that has none: agents and tests reach nothing but what a harness brings along, the setup command
 * the registries that are known. Without registries (nobody looked) egress is left open.
 */
export function planSandbox(
  request: Pick<ConnectRequest, 'image'>,
  registries: FoundRegistries | null,
): NonNullable<RepoFill['sandbox']> {
  const image = request.image ?? workerImage;
  if (registries === null) return { image, network: null };
  const allow = registries.hosts.map(({ host }) => host);
  return { image, network: { install: allow.length === 0 ? {} : { allow }, runtime: {} } };
}

/** What the entry's containers may reach now, and why; null without a container of an image. */
export function describeNetwork(
  before: ResolvedRepo | null,
  repo: ResolvedRepo,
  registries: FoundRegistries | null,
): ConnectedNetwork | null {
  if (repo.sandbox?.kind !== 'docker') return null;
  const { network: lists } = repo.sandbox;
  if ((before?.sandbox ?? null) !== null) return { origin: 'kept', lists, found: [], notes: [] };
  if (registries === null) return { origin: 'given', lists, found: [], notes: [] };
  return { origin: 'proposed', lists, found: registries.hosts, notes: registries.notes };
}
