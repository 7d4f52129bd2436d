import { release } from 'node:os';
import { run, runRequest, type RunResult } from '../../process/index.ts';
import { clientNames, outboundNames, pickEnv, prepareClient, type EnvReader } from '../client-environment.ts';
import type { ContainerSpec } from '../container.ts';
import type {
  ClientCommand,
  ContainerState,
  Engine,
  EngineFacts,
  ImageInfo,
  ListedContainer,
  ThrowawayResult,
} from '../engine.ts';
import { runtimeErrors } from '../errors.ts';
import { buildImage, pullImage, type ImageClient } from '../fetch-image.ts';
import { lastWords } from '../progress.ts';
import { renderRunArgs } from '../render-run-args.ts';
import { execInContainer, startDetachedContainer } from '../started.ts';
import { runThrowawayClient } from '../throwaway.ts';
import { parseContainer, parseContainers, parseImageIds, parseImages, parsePodmanInfo } from './parse-answers.ts';

// What Podman itself reads: where its configuration and storage lie, and a remote service, which is then refused.
const podmanNames = [
  'CONTAINERS_CONF',
  'CONTAINERS_CONF_OVERRIDE',
  'CONTAINERS_STORAGE_CONF',
  'CONTAINERS_REGISTRIES_CONF',
  'STORAGE_DRIVER',
  'STORAGE_OPTS',
  'CONTAINER_HOST',
  'CONTAINER_CONNECTION',
  'CONTAINER_SSHKEY',
];

export interface PodmanEngineOptions {
  /** Absolute path of the CLI. */
  readonly cli: string;
  readonly env: EnvReader;
  /** Folder of Kraft's own, mode 0700. */
  readonly privateDir: string;
  /** Bound of every control call; pulls, builds and throw-aways bring their own. */
  readonly callTimeoutMs: number;
}

/** Podman through its CLI: it has no daemon, so the CLI is the engine. */
export class PodmanEngine implements Engine {
  readonly kind = 'podman';
  readonly cli: string;
  readonly endpoint: string;
  readonly #privateDir: string;
  readonly #callTimeoutMs: number;
  readonly #clientEnv: Readonly<Record<string, string>>;
  readonly #outboundEnv: Readonly<Record<string, string>>;

  constructor(options: PodmanEngineOptions) {
    this.cli = options.cli;
    this.endpoint = options.env('CONTAINER_HOST') ?? options.env('CONTAINER_CONNECTION') ?? 'local Podman, no service';
    this.#privateDir = options.privateDir;
    this.#callTimeoutMs = options.callTimeoutMs;
    this.#clientEnv = pickEnv(options.env, [...clientNames, ...podmanNames]);
    this.#outboundEnv = { ...this.#clientEnv, ...pickEnv(options.env, [...outboundNames, 'REGISTRY_AUTH_FILE']) };
  }

  async probe(timeoutMs: number): Promise<EngineFacts> {
    const done = await this.#ask(['info', '--format', 'json'], timeoutMs);
    if (done.exitCode !== 0) {
      const why = done.timedOut ? `no answer within ${timeoutMs / 1000} s` : lastWords(done);
      throw runtimeErrors.create('ENGINE_UNREACHABLE', {
        attempts: [{ cli: this.cli, endpoint: this.endpoint, why }],
      });
    }
    return parsePodmanInfo(parseJson(done.stdout), { endpoint: this.endpoint, kernelRelease: release() });
  }

  async inspectImage(reference: string): Promise<ImageInfo | null> {
    const done = await this.#ask(['image', 'inspect', '--format', 'json', '--', reference]);
    if (done.exitCode === 0) return this.#read('image inspect', done, parseImages)[0] ?? null;
    return await this.#absent('image', reference, done);
  }

  pullImage(reference: string, options: Parameters<Engine['pullImage']>[1]): Promise<void> {
    return pullImage(this.#imageClient(), reference, options);
  }

  async listImages(reference: string): ReturnType<Engine['listImages']> {
    const done = await this.#succeed([
      'images',
      '--no-trunc',
      '--format',
      'json',
      '--filter',
      `reference=${reference}`,
    ]);
    const ids = this.#read('images', done, parseImageIds);
    if (ids.length === 0) return [];
    const rows = await this.#succeed(['image', 'inspect', '--format', 'json', '--', ...ids]);
    return this.#read('image inspect', rows, parseImages);
  }

  buildImage(options: Parameters<Engine['buildImage']>[0]): Promise<void> {
    return buildImage(this.#imageClient(), options);
  }

  #imageClient(): ImageClient {
    return { cli: this.cli, env: this.#outboundEnv, cwd: this.#privateDir };
  }

  runThrowaway(spec: ContainerSpec, options: Parameters<Engine['runThrowaway']>[1]): Promise<ThrowawayResult> {
    return runThrowawayClient(this, this.#privateDir, spec, options);
  }

  startContainer(spec: Parameters<Engine['startContainer']>[0]): Promise<string> {
    return startDetachedContainer({ engine: this, privateDir: this.#privateDir }, spec);
  }

  exec(...[name, argv, options]: Parameters<Engine['exec']>): Promise<ThrowawayResult> {
    const client = { file: this.cli, env: this.#clientEnv, cwd: this.#privateDir };
    return execInContainer(client, { name, argv }, options);
  }

  clientCommand(spec: ContainerSpec, env: Readonly<Record<string, string>>): ClientCommand {
    const client = prepareClient(spec, this.#clientEnv, env);
    return { file: this.cli, args: renderRunArgs(client.spec, 'podman'), env: client.env };
  }

  async inspectContainer(name: string): Promise<ContainerState | null> {
    const done = await this.#ask(['container', 'inspect', '--', name]);
    if (done.exitCode === 0) return this.#read('container inspect', done, parseContainer);
    return await this.#absent('container', name, done);
  }

  async removeContainer(name: string): Promise<void> {
    // `-v`: an image's VOLUME makes an anonymous volume per container, which would stay behind for good.
    const done = await this.#ask(['rm', '-f', '-v', '--time', '0', '--', name]);
    if (done.exitCode !== 0) await this.#absent('container', name, done);
  }

  async listContainers(label: { readonly key: string; readonly value: string }): Promise<readonly ListedContainer[]> {
    const done = await this.#succeed([
      'ps',
      '-a',
      '--no-trunc',
      '--format',
      'json',
      '--filter',
      `label=${label.key}=${label.value}`,
    ]);
    return this.#read('ps', done, parseContainers).filter((row) => row.labels[label.key] === label.value);
  }

  async killContainer(name: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const done = await this.#ask(['kill', '--signal', signal, '--', name]);
    if (done.exitCode === 0) return;
    const state = await this.inspectContainer(name);
    if (state?.running === true) throw this.#failed('kill', done);
  }

  /** Null when Podman confirms that there is no such thing; a call that failed otherwise is an error. */
  async #absent(kind: 'container' | 'image', name: string, failed: RunResult): Promise<null> {
    const exists = await this.#ask([kind, 'exists', '--', name]);
    if (exists.exitCode === 1) return null;
    throw this.#failed(`${kind} ${name}`, failed);
  }

  async #succeed(args: readonly string[]): Promise<RunResult> {
    const done = await this.#ask(args);
    if (done.exitCode !== 0) throw this.#failed(args.slice(0, 2).join(' '), done);
    return done;
  }

  #ask(args: readonly string[], timeoutMs = this.#callTimeoutMs): Promise<RunResult> {
    return run(runRequest(this.cli, args, this.#clientEnv, { cwd: this.#privateDir, timeoutMs }));
  }

  #failed(call: string, done: RunResult): Error {
    if (done.timedOut)
      return runtimeErrors.create('ENGINE_TIMEOUT', { cli: this.cli, call, timeoutMs: this.#callTimeoutMs });
    return runtimeErrors.create('ENGINE_CALL_FAILED', { cli: this.cli, call, why: lastWords(done) });
  }

  #read<T>(call: string, done: RunResult, parse: (answer: unknown) => T): T {
    try {
      return parse(parseJson(done.stdout));
    } catch (error) {
      const why = 'its answer has another shape than Podman documents';
      throw runtimeErrors.create('ENGINE_CALL_FAILED', { cli: this.cli, call, why }, error);
    }
  }
}

/** Null for text that is no JSON, which no answer's shape accepts as a value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
