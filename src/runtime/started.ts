import { run, runRequest, type RunRequest } from '../process/index.ts';
import type { ContainerSpec } from './container.ts';
import type { ClientCommand, Engine, ThrowawayResult } from './engine.ts';
import { runtimeErrors } from './errors.ts';
import { lastWords } from './progress.ts';

/** Bound of starting a container that goes on by itself (SI 0.5). */
export const startTimeoutMs = 30_000;

const outputMaxBytes = 1024 * 1024;

/** What is used of an engine, and the folder that its clients work in. */
interface StartingClient {
  readonly engine: Pick<Engine, 'clientCommand' | 'removeContainer'>;
  readonly privateDir: string;
}

/**
 * Starts a named container that goes on by itself and gives its id. One that did not start leaves nothing behind: an
 * engine keeps the container whose process it could not run. Errors: CONTAINER_NOT_STARTED.
 */
export async function startDetachedContainer(
  { engine, privateDir }: StartingClient,
  spec: ContainerSpec & { readonly name: string },
): Promise<string> {
  const { file, args, env }: ClientCommand = engine.clientCommand(spec, {});
  const detached = [...args.slice(0, 1), '-d', ...args.slice(1)];
  const done = await run(runRequest(file, detached, env, { cwd: privateDir, timeoutMs: startTimeoutMs }));
  if (done.exitCode === 0) return done.stdout.trim();
  // The reason for not starting is the answer; what could not be removed has the labels by which a sweep finds it.
  await engine.removeContainer(spec.name).catch(() => undefined);
  throw runtimeErrors.create('CONTAINER_NOT_STARTED', { cli: file, name: spec.name, why: lastWords(done) });
}

/** Runs a program inside a running container, to its end; one that does not end in time goes on inside. */
export async function execInContainer(
  client: Pick<RunRequest, 'file' | 'env' | 'cwd'>,
  container: { readonly name: string; readonly argv: readonly string[] },
  { input, timeoutMs }: Parameters<Engine['exec']>[2],
): Promise<ThrowawayResult> {
  const args = ['exec', ...(input === null ? [] : ['-i']), container.name, ...container.argv];
  const done = await run(
    runRequest(client.file, args, client.env, { cwd: client.cwd, input, timeoutMs, outputMaxBytes }),
  );
  return { exitCode: done.exitCode, stdout: done.stdout, stderr: done.stderr, timedOut: done.timedOut };
}
