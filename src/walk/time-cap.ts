import type { ResolvedRepo } from '../config/index.ts';
import type { WalkPorts } from './ports.ts';

/** Time cap of one session in milliseconds: the repository's, else the one of `policy.yaml`; null for none. */
export async function timeCapMs(ports: WalkPorts, repo: ResolvedRepo): Promise<number | null> {
  const minutes = repo.policy.timeCapMinutes ?? (await ports.loadPolicy()).timeCapMinutes;
  return minutes === null ? null : Math.round(minutes * 60_000);
}
