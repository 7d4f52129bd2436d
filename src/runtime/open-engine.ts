import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { KraftError, type Log } from '../base/index.ts';
import { findProgram, run, runRequest } from '../process/index.ts';
import { clientNames, pickEnv, type EnvReader } from './client-environment.ts';
import type { Engine, EngineFacts } from './engine.ts';
import { identityTimeoutMs, probeTimeoutMs } from './engine-probe.ts';
import { runtimeErrors, type EngineAttempt } from './errors.ts';
import { findDockerEndpoint } from './docker/find-endpoint.ts';

import { PodmanEngine } from './podman/podman-engine.ts';

/** Bound of a control call (SI 0.5). */
const callTimeoutMs = 30_000;

export interface OpenEngineOptions {
  /** `cli` of sandbox.yaml; null takes what answers, Docker first. */
  readonly cli: 'docker' | 'podman' | null;
  readonly env: EnvReader;
  /** Folder of Kraft's own for client configuration; made with mode 0700. */
  readonly privateDir: string;
  readonly log: Log;
}

type Found =
  | { readonly engine: Engine; readonly facts: EngineFacts }
  | { readonly attempt: EngineAttempt; readonly remote: KraftError | null };

/**
 * Finds the engine that answers: a CLI alone is no sign of one. An engine in a VM opens too, and its facts say why
 * nothing is launched there. Errors: ENGINE_UNREACHABLE with every attempt; ENGINE_REMOTE when another machine was
 * named and no local engine answers.
 */
export async function openEngine(options: OpenEngineOptions): Promise<Engine> {
  mkdirSync(options.privateDir, { recursive: true, mode: 0o700 });
  const candidates = options.cli === null ? (['docker', 'podman'] as const) : [options.cli];
  const attempts: EngineAttempt[] = [];
  let remote: KraftError | null = null;
  let inVm: Engine | null = null;
  for (const name of candidates) {
    const found = await tryCli(name, options);
    if ('engine' in found) {
      if (found.facts.remote === null) {
        options.log.info(`container engine: ${found.engine.cli}, ${found.facts.endpoint}`);
        return found.engine;
      }
      inVm ??= found.engine;
      continue;
    }
    attempts.push(found.attempt);
    remote ??= found.remote;
  }
  if (inVm !== null) return inVm;
  throw remote ?? runtimeErrors.create('ENGINE_UNREACHABLE', { attempts });
}

async function tryCli(name: 'docker' | 'podman', options: OpenEngineOptions): Promise<Found> {
  const cli = findProgram(name, options.env('PATH') ?? '');
  if (cli === null) return miss({ cli: name, endpoint: null, why: 'it is not on PATH' });
  const version = await run(
    runRequest(cli, ['--version'], pickEnv(options.env, clientNames), { timeoutMs: probeTimeoutMs }),
  );
  // podman-docker installs a `docker` that is Podman, which knows neither Docker's socket nor its user mapping.
  if (name === 'podman' || /podman/iu.test(version.stdout + version.stderr))
    return await tryEngine(new PodmanEngine({ cli, env: options.env, privateDir: options.privateDir, callTimeoutMs }));
  return await tryDocker(cli, options);
}

async function tryDocker(cli: string, options: OpenEngineOptions): Promise<Found> {
  const endpoint = await findDockerEndpoint(cli, options.env);
  if (endpoint.kind === 'unknown') return miss({ cli, endpoint: null, why: endpoint.why });
  if (endpoint.kind === 'remote') {
    const why = 'it is not a socket of this machine';
    return {
      attempt: { cli, endpoint: endpoint.host, why },
      remote: runtimeErrors.create('ENGINE_REMOTE', { endpoint: endpoint.host, why }),
    };
  }
  // Loaded where there is a Docker to talk to: its client alone holds some 30 MiB.
  const { DockerEngine } = await import('./docker/docker-engine.ts');
  const engine = new DockerEngine({
    cli,
    socketPath: endpoint.socketPath,
    env: options.env,
    privateDir: options.privateDir,
    callTimeoutMs,
  });
  const found = await tryEngine(engine);
  if ('engine' in found && (await engine.isPodmanService()))
    return miss({ cli, endpoint: engine.endpoint, why: "that socket is Podman's; Podman is used through its own CLI" });
  return found;
}

async function tryEngine(engine: Engine & { readonly endpoint: string }): Promise<Found> {
  try {
    // The longer bound: a rootless Podman that is slow to start is an engine all the same.
    return { engine, facts: await engine.probe(identityTimeoutMs) };
  } catch (error) {
    if (!(error instanceof KraftError)) throw error;
    return miss({ cli: basename(engine.cli), endpoint: engine.endpoint, why: reasonOf(error) });
  }
}

function miss(attempt: EngineAttempt): Found {
  return { attempt, remote: null };
}

/** The engine's own word out of an error that an attempt raised. */
function reasonOf(error: KraftError): string {
  const attempts = error.report.details['attempts'] as readonly EngineAttempt[] | undefined;
  return attempts?.[0]?.why ?? error.message.replace(/\.$/u, '');
}
