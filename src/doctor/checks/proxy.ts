import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedRepo } from '../../config/index.ts';
import { decideProxies } from '../../credentials/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { ok, skipped, warn, type Finding } from '../finding.ts';

/** Proxy variables that a container gets, and those that point where it cannot go. */
export async function checkProxy(context: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  if (repo.sandbox === null) return [skipped('No container to speak of.', 'Needs a sandbox.')];
  if (repo.sandbox.kind === 'docker' && repo.sandbox.network !== null)
    return [ok('the containers get their own proxy under `network`.')];
  const decisions = decideProxies(context.options.env);
  const kept = decisions.flatMap(({ name, why }) => (why === null ? [] : [{ name, why }]));
  const remarks = [
    ...kept.map((k) => warn(doctorErrors.create('PROXY_NOT_FORWARDED', k))),
    ...(decisions.length === 0 ? await checkDockerConfig(context) : []),
  ];
  if (remarks.length > 0) return remarks;
  const names = decisions.map((d) => d.name);
  return [ok(names.length === 0 ? 'no proxy variable is set.' : `passed on: ${names.join(', ')}.`)];
}

/** Proxies that the docker CLI would put into every container, and that Kraft keeps out (PF-P04). */
async function checkDockerConfig({ engine, options }: DoctorContext): Promise<readonly Finding[]> {
  if (!engine.ok || engine.value.engine.kind !== 'docker') return [];
  const { env, host } = options;
  const path = join(env('DOCKER_CONFIG') ?? join(env('HOME') ?? homedir(), '.docker'), 'config.json');
  return (await host.namesDockerProxies(path)) ? [warn(doctorErrors.create('DOCKER_PROXIES_KEPT_OUT', { path }))] : [];
}
