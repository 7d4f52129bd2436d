import type { ResolvedRepo } from '../config/index.ts';

/** Whether the repository's sandbox has a network policy: without one its workers cannot reach Kraft at all (SI 7.8). Pure. */
export function hasRoute({ sandbox }: Pick<ResolvedRepo, 'sandbox'>): boolean {
  return sandbox?.kind === 'docker' && sandbox.network !== null;
}
