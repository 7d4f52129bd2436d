import type { ResolvedRepo } from '../../config/index.ts';
import { decideProxies } from '../../credentials/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { ok, skipped, warn, type Finding } from '../finding.ts';

/** Proxy variables that a container gets, and those that point where it cannot go. */
export function checkProxy({ options }: DoctorContext, repo: ResolvedRepo): readonly Finding[] {
  if (repo.sandbox === null) return [skipped('No container to speak of.', 'Needs a sandbox.')];
  if (repo.sandbox.kind === 'docker' && repo.sandbox.network !== null)
    return [ok('the containers get their own proxy under `network`.')];
  const decisions = decideProxies(options.env);
  const kept = decisions.flatMap(({ name, why }) => (why === null ? [] : [{ name, why }]));
  if (kept.length > 0) return kept.map((k) => warn(doctorErrors.create('PROXY_NOT_FORWARDED', k)));
  const names = decisions.map((d) => d.name);
  return [ok(names.length === 0 ? 'no proxy variable is set.' : `passed on: ${names.join(', ')}.`)];
}
