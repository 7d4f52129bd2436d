import { z } from 'zod';
import { run, runRequest } from '../../process/index.ts';
import { clientNames, pickEnv, type EnvReader } from '../client-environment.ts';
import { lastWords } from '../progress.ts';

/** Where the person's `docker` would ask. */
export type DockerEndpoint =
  | { readonly kind: 'local'; readonly socketPath: string }
  | { readonly kind: 'remote'; readonly host: string }
  | { readonly kind: 'unknown'; readonly why: string };

const contextTimeoutMs = 10_000;

/**
 * The endpoint by the CLI's own resolution, so that DOCKER_HOST, DOCKER_CONTEXT and the current context count as they
 * do for the person (PF-D04).
 */
export async function findDockerEndpoint(cli: string, env: EnvReader): Promise<DockerEndpoint> {
  const names = [...clientNames, 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG'];
  const done = await run(
    runRequest(cli, ['context', 'inspect', '--format', '{{json .Endpoints.docker}}'], pickEnv(env, names), {
      timeoutMs: contextTimeoutMs,
    }),
  );
  if (done.exitCode !== 0) return { kind: 'unknown', why: `its context cannot be read: ${lastWords(done)}` };
  return parseDockerEndpoint(done.stdout);
}

const answer = z.object({ Host: z.string().min(1) });

/** Reads what `docker context inspect` printed. */
export function parseDockerEndpoint(text: string): DockerEndpoint {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // null is no endpoint either
  }
  const host = answer.safeParse(value).data?.Host;
  if (host === undefined) return { kind: 'unknown', why: 'its context names no endpoint' };
  const socketPath = /^unix:\/\/(\/.+)$/u.exec(host)?.[1];
  return socketPath === undefined ? { kind: 'remote', host } : { kind: 'local', socketPath };
}
