import type { KraftError } from '../base/index.ts';
import type { KnownEngineFacts } from './engine.ts';
import { runtimeErrors } from './errors.ts';

/** Who a container runs as, as fields of a `ContainerSpec`. */
export interface UserPlan {
  /** `uid:gid` inside the container. */
  readonly user: string;
  readonly userNamespace: string | null;
  /** The same, as numbers: what a passwd entry inside is made for. */
  readonly uid: number;
  readonly gid: number;
}

/** The user mapping of SI 1.5, so that what a container writes stays the person's. */
export function planUser(facts: Pick<KnownEngineFacts, 'kind' | 'rootless'>, uid: number, gid: number): UserPlan {
  // Root of a rootless Docker container is the person; any other uid would land in the subordinate range.
  if (facts.kind === 'docker' && facts.rootless) return { user: '0:0', userNamespace: null, uid: 0, gid: 0 };
  const userNamespace = facts.kind === 'podman' && facts.rootless ? 'keep-id' : null;
  return { user: `${uid}:${gid}`, userNamespace, uid, gid };
}

/** What was found at a path that a container must be able to write: `ownerUid` is null when nothing is there. */
export interface OwnedPath {
  readonly path: string;
  readonly ownerUid: number | null;
}

/** The first path that another user owns, as the error that stops the launch; null when all is well (SI 1.10). */
export function findForeignOwner(
  facts: Pick<KnownEngineFacts, 'rootless'>,
  uid: number,
  paths: readonly OwnedPath[],
): KraftError | null {
  if (!facts.rootless) return null;
  const foreign = paths.find((entry) => entry.ownerUid !== null && entry.ownerUid !== uid);
  if (foreign === undefined || foreign.ownerUid === null) return null;
  return runtimeErrors.create('FOREIGN_OWNER', { path: foreign.path, ownerUid: foreign.ownerUid, uid });
}
