import { run, runRequest } from '../process/index.ts';
import type { Engine } from './engine.ts';
import { runtimeErrors } from './errors.ts';
import { lastWords, lineReader } from './progress.ts';

/** The engine's own command line, which both engines spell alike for what brings an image here. */
export interface ImageClient {
  /** Absolute path of the CLI. */
  readonly cli: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
}

/** Errors: IMAGE_PULL_FAILED. */
export async function pullImage(
  client: ImageClient,
  reference: string,
  options: Parameters<Engine['pullImage']>[1],
): Promise<void> {
  const why = await failureOf(client, ['pull', '--', reference], options);
  if (why !== null) throw runtimeErrors.create('IMAGE_PULL_FAILED', { image: reference, why });
}

/** Errors: IMAGE_BUILD_FAILED. */
export async function buildImage(client: ImageClient, options: Parameters<Engine['buildImage']>[0]): Promise<void> {
  const args = [
    'build',
    ...options.tags.flatMap((tag) => ['-t', tag]),
    ...Object.entries(options.labels).flatMap(([key, value]) => ['--label', `${key}=${value}`]),
    '--',
    options.contextDir,
  ];
  const why = await failureOf(client, args, options);
  if (why !== null) throw runtimeErrors.create('IMAGE_BUILD_FAILED', { image: options.tags[0] ?? '', why });
}

/** Null when the command succeeded, else what it said last. */
async function failureOf(
  { cli, env, cwd }: ImageClient,
  args: readonly string[],
  options: Parameters<Engine['pullImage']>[1],
): Promise<string | null> {
  const { timeoutMs, onProgress } = options;
  const done = await run(runRequest(cli, args, env, { cwd, timeoutMs, onOutput: lineReader(onProgress) }));
  return done.exitCode === 0 ? null : lastWords(done);
}
