import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedRepo } from '../../config/index.ts';
import { decideProxies } from '../../credentials/index.ts';
import type { DoctorContext } from '../context.ts';
import { planUpstreams, type Upstream } from '../../egress/index.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, fail, ok, skipped, warn, type Finding } from '../finding.ts';

/** Proxy variables that a container gets, and those that point where it cannot go; under `network` the daemon's own way. */
export async function checkProxy(context: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  if (repo.sandbox === null) return [skipped('No container to speak of.', 'Needs a sandbox.')];
  if (repo.sandbox.kind === 'docker' && repo.sandbox.network !== null) return checkUpstreams(context);
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

/** How the daemon itself gets out on behalf of sessions under `network`, as it read it (PF-P10); never a password. */
async function checkUpstreams(context: DoctorContext): Promise<readonly Finding[]> {
  const docker = await checkDockerConfig(context);
  const planned = await attempt(() => planUpstreams(context.options.env));
  if (!planned.ok) return [...docker, fail(planned.error)];
  const { tunnel, absolute, bypass } = planned.value;
  const own = 'the containers get a proxy of their own';
  if (tunnel === null && absolute === null) return [...docker, ok(`${own}; the daemon connects directly.`)];
  const around = bypass.length === 0 ? '' : `; directly: ${bypass.join(', ')}`;
  return [
    ...docker,
    ok(`${own}; https goes through ${describe(tunnel)}, http through ${describe(absolute)}${around}.`),
  ];
}

function describe(upstream: Upstream | null): string {
  if (upstream === null) return 'no proxy';
  const { variable, host, port, authorization } = upstream;
  return `${host}:${port} (${variable}${authorization === null ? '' : ', with a password'})`;
}

/** Proxies that the docker CLI would put into every container, and that Kraft keeps out (PF-P04). */
async function checkDockerConfig({ engine, options }: DoctorContext): Promise<readonly Finding[]> {
  if (!engine.ok || engine.value.engine.kind !== 'docker') return [];
  const { env, host } = options;
  const path = join(env('DOCKER_CONFIG') ?? join(env('HOME') ?? homedir(), '.docker'), 'config.json');
  return (await host.namesDockerProxies(path)) ? [warn(doctorErrors.create('DOCKER_PROXIES_KEPT_OUT', { path }))] : [];
}
