import { mkdirSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { z } from 'zod';
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
import { renderRunArgs } from '../render-run-args.ts';
import { execInContainer, startDetachedContainer } from '../started.ts';
import { runThrowawayClient } from '../throwaway.ts';
import { parseContainer, parseContainers, parseImage, parseImages } from './parse-answers.ts';
import { parseDockerInfo } from './parse-info.ts';

export interface DockerEngineOptions {
  /** Absolute path of the CLI. */
  readonly cli: string;
  /** Absolute path of the engine's socket on this machine. */
  readonly socketPath: string;
  readonly env: EnvReader;
  /** Folder of Kraft's own, mode 0700. */
  readonly privateDir: string;
  /** Bound of every control call; pulls, builds and throw-aways bring their own. */
  readonly callTimeoutMs: number;
}

interface Bounded {
  readonly abortSignal: AbortSignal;
}

/** What is used of dockerode. Its published types leave the abort signal out of half of these calls. */
interface DockerApi {
  info(options: Bounded): Promise<unknown>;
  version(options: Bounded): Promise<unknown>;
  listImages(options: Bounded & { readonly filters: object }): Promise<unknown>;
  listContainers(options: Bounded & { readonly filters: object; readonly all: true }): Promise<unknown>;
  getImage(name: string): { inspect(options: Bounded): Promise<unknown> };
  getContainer(name: string): {
    inspect(options: Bounded): Promise<unknown>;
    remove(options: Bounded & { readonly force: true; readonly v: true }): Promise<unknown>;
    kill(options: Bounded & { readonly signal: string }): Promise<unknown>;
  };
}

/** Docker: the API on its socket for control calls, the CLI where a process must outlive the daemon or log in. */
export class DockerEngine implements Engine {
  readonly kind = 'docker';
  readonly cli: string;
  readonly endpoint: string;
  readonly #docker: DockerApi;
  readonly #privateDir: string;
  readonly #callTimeoutMs: number;
  readonly #clientEnv: Readonly<Record<string, string>>;
  readonly #ownEnv: Readonly<Record<string, string>>;

  constructor(options: DockerEngineOptions) {
    this.cli = options.cli;
    this.endpoint = `unix://${options.socketPath}`;
    this.#docker = new Docker({ socketPath: options.socketPath }) as unknown as DockerApi;
    this.#privateDir = options.privateDir;
    this.#callTimeoutMs = options.callTimeoutMs;
    const base = { ...pickEnv(options.env, clientNames), DOCKER_HOST: this.endpoint };
    // A configuration without `proxies`: the CLI would put those into every container that it runs (PF-P04).
    this.#clientEnv = { ...base, DOCKER_CONFIG: writeEmptyConfig(options.privateDir) };
    // Pulls and builds log in as the person does, with their configuration and their proxies.
    this.#ownEnv = { ...base, ...pickEnv(options.env, [...outboundNames, 'DOCKER_CONFIG', 'DOCKER_DEFAULT_PLATFORM']) };
  }

  async probe(timeoutMs: number): Promise<EngineFacts> {
    const info = await this.#call('info', (signal) => this.#docker.info({ abortSignal: signal }), timeoutMs);
    return parseDockerInfo(info, { endpoint: this.endpoint, kernelRelease: release() });
  }

  /** Whether Podman answers on the socket with its Docker API, under which rootless user mapping cannot be asked for. */
  async isPodmanService(): Promise<boolean> {
    const answer = await this.#call('version', (signal) => this.#docker.version({ abortSignal: signal }));
    const components = serverVersion.safeParse(answer).data?.Components ?? [];
    return components.some((component) => /podman/iu.test(component.Name));
  }

  async inspectImage(reference: string): Promise<ImageInfo | null> {
    const answer = await this.#callOrAbsent(`image inspect ${reference}`, (signal) =>
      this.#docker.getImage(reference).inspect({ abortSignal: signal }),
    );
    return answer === null ? null : this.#read('image inspect', answer, parseImage);
  }

  pullImage(reference: string, options: Parameters<Engine['pullImage']>[1]): Promise<void> {
    return pullImage(this.#imageClient(), reference, options);
  }

  async listImages(reference: string): ReturnType<Engine['listImages']> {
    const rows = this.#read(
      'images',
      await this.#call('images', (signal) =>
        this.#docker.listImages({ filters: { reference: [reference] }, abortSignal: signal }),
      ),
      parseImages,
    );
    const images = await Promise.all(
      rows.map(async (row) => {
        const image = await this.inspectImage(row.id);
        return image === null ? [] : [{ ...image, tags: row.tags }];
      }),
    );
    return images.flat();
  }

  buildImage(options: Parameters<Engine['buildImage']>[0]): Promise<void> {
    return buildImage(this.#imageClient(), options);
  }

  #imageClient(): ImageClient {
    return { cli: this.cli, env: this.#ownEnv, cwd: null };
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
    return { file: this.cli, args: renderRunArgs(client.spec, 'docker'), env: client.env };
  }

  async inspectContainer(name: string): Promise<ContainerState | null> {
    const answer = await this.#callOrAbsent(`inspect ${name}`, (signal) =>
      this.#docker.getContainer(name).inspect({ abortSignal: signal }),
    );
    return answer === null ? null : this.#read('inspect', answer, parseContainer);
  }

  async removeContainer(name: string): Promise<void> {
    // `v`: an image's VOLUME makes an anonymous volume per container, which would stay behind for good.
    await this.#callOrAbsent(`rm ${name}`, (signal) =>
      this.#docker.getContainer(name).remove({ force: true, v: true, abortSignal: signal }),
    );
  }

  async listContainers(label: { readonly key: string; readonly value: string }): Promise<readonly ListedContainer[]> {
    const answer = await this.#call('ps', (signal) =>
      this.#docker.listContainers({
        all: true,
        filters: { label: [`${label.key}=${label.value}`] },
        abortSignal: signal,
      }),
    );
    return this.#read('ps', answer, parseContainers);
  }

  async killContainer(name: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#callOrAbsent(`kill ${name}`, (abortSignal) =>
      this.#docker.getContainer(name).kill({ signal, abortSignal }),
    );
  }

  /** Null when the engine says that there is no such thing, that it ends already or does not run. */
  async #callOrAbsent<T>(call: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    return await this.#call(call, async (signal) => {
      try {
        return await ask(signal);
      } catch (error) {
        if (statusOf(error) === 404 || statusOf(error) === 409) return null;
        throw error;
      }
    });
  }

  async #call<T>(call: string, ask: (signal: AbortSignal) => Promise<T>, timeoutMs = this.#callTimeoutMs): Promise<T> {
    const abort = new AbortController();
    const { promise: expired, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(runtimeErrors.create('ENGINE_TIMEOUT', { cli: this.cli, call, timeoutMs }));
      abort.abort();
    }, timeoutMs);
    try {
      return await Promise.race([ask(abort.signal), expired]);
    } catch (error) {
      throw this.#explain(call, error);
    } finally {
      clearTimeout(timer);
    }
  }

  #explain(call: string, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = unreachable[code];
    if (why !== undefined)
      return runtimeErrors.create(
        'ENGINE_UNREACHABLE',
        { attempts: [{ cli: this.cli, endpoint: this.endpoint, why }] },
        error,
      );
    const status = statusOf(error);
    if (status === null) return error;
    return runtimeErrors.create('ENGINE_CALL_FAILED', { cli: this.cli, call, why: reasonOf(error) }, error);
  }

  #read<T>(call: string, answer: unknown, parse: (answer: unknown) => T): T {
    try {
      return parse(answer);
    } catch (error) {
      const why = 'its answer has another shape than Docker documents';
      throw runtimeErrors.create('ENGINE_CALL_FAILED', { cli: this.cli, call, why }, error);
    }
  }
}

const unreachable: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such socket',
  ECONNREFUSED: 'nothing listens on the socket',
  EACCES: 'this user may not open the socket; add it to the group that owns it (usually docker) and log in again',
  EPERM: 'this user may not open the socket',
  ECONNRESET: 'the engine closed the connection',
  EPIPE: 'the engine closed the connection',
  ENOTSOCK: 'the path is no socket',
};

function writeEmptyConfig(privateDir: string): string {
  const dir = join(privateDir, 'docker-config');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dir, 'config.json'), '{}\n', { mode: 0o600 });
  return dir;
}

const serverVersion = z.object({ Components: z.array(z.object({ Name: z.string() })).nullish() });
const apiError = z.object({ statusCode: z.number(), json: z.object({ message: z.string() }).nullish() });

function statusOf(error: unknown): number | null {
  return apiError.safeParse(error).data?.statusCode ?? null;
}

function reasonOf(error: unknown): string {
  const message =
    apiError.safeParse(error).data?.json?.message ?? (error instanceof Error ? error.message : 'no reason');
  return message.replace(/\.$/u, '');
}
