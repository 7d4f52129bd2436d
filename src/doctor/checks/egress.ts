import type { ResolvedRepo } from '../../config/index.ts';
import { doctorErrors } from '../errors.ts';
import { ok, skipped, warn, type Finding } from '../finding.ts';

/** What the repository's containers can reach. */
export function checkEgress(repo: ResolvedRepo): readonly Finding[] {
  if (repo.sandbox?.kind !== 'docker') return [skipped('No container to speak of.', 'Needs a sandbox of kind docker.')];
  if (repo.sandbox.network === null) return [warn(doctorErrors.create('EGRESS_OPEN', undefined))];
  const { install, runtime } = repo.sandbox.network;
  const count = (name: string, phase: typeof install): string =>
    `${name} ${phase.allow.length} allowed, ${phase.deny.length} denied`;
  return [ok(`only listed hosts: ${count('install', install)}; ${count('runtime', runtime)}.`)];
}
