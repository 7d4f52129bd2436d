import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex16 } from '../../src/base/index.ts';
import { run, runRequest } from '../../src/process/index.ts';
import {
  prepareClient,
  renderRunArgs,
  runtimeErrors,
  type ClientCommand,
  type ContainerSpec,
  type ContainerState,
  type Engine,
  type EngineFacts,
  type EngineKind,
  type ImageInfo,
  type ListedContainer,
  type ThrowawayResult,
} from '../../src/runtime/index.ts';

/** No container of a test goes on for longer. */
const startedMaxMs = 300_000;

type FakeImage = ImageInfo & { readonly tags: readonly string[] };

interface FakeContainer {
  readonly id: string;
  readonly spec: ContainerSpec;
  /** Written by the client's shell: `pid` and `exit`. */
  readonly dir: string;
  oomKilled: boolean;
}

// Plays the engine's part for one "container": a process of this machine, its id file, its end on record. The process
// stays in the client's group, so that what signals the client reaches it, as a real client hands signals on.
const script = `dir=$1; cid=$2; workdir=$3; shift 3
[ -z "$cid" ] || printf %s "\${dir##*/}" >"$cid"
[ -z "$workdir" ] || cd "$workdir" || exit 126
trap : INT TERM HUP
sh -c 'echo $$ >"$0/pid"; exec "$@"' "$dir" "$@"; code=$?
echo $code >"$dir/exit"; exit $code`;

/**
 * An engine without containers: what a container would run is a process of this machine, with container paths turned
 * into the mounts' host paths. It passes the contract of the real ones; it isolates nothing.
 */
export class FakeEngine implements Engine {
  readonly kind: EngineKind;
  readonly cli = '/bin/sh';
  /** What `probe` answers; throw from it to play an engine that is down. */
  onProbe: (timeoutMs: number) => EngineFacts | Promise<EngineFacts>;
  /** Takes a throw-away's place; null lets the command run here. */
  onThrowaway: ((spec: ContainerSpec) => ThrowawayResult | null) | null = null;
  /** Images that `pullImage` can find. */
  readonly registry = new Map<string, FakeImage>();
  readonly images = new Map<string, FakeImage>();
  /** What an image runs of its own, before the command of a spec. */
  readonly entrypoints = new Map<string, readonly string[]>();
  /** Stand-ins for programs of an image, by the name that a spec has as its entrypoint. */
  readonly programs = new Map<string, readonly string[]>();
  /** Takes a started container's place, with the words of an engine that could not; null lets it start here. */
  onStart: ((spec: ContainerSpec) => string | null) | null = null;
  /** Every spec that was run, in order. */
  readonly specs: ContainerSpec[] = [];
  readonly removed: string[] = [];
  readonly pulled: string[] = [];
  readonly #containers = new Map<string, FakeContainer>();
  readonly #dir = mkdtempSync(join(tmpdir(), 'fake-engine-'));

  constructor(options: { readonly kind?: EngineKind; readonly facts?: Partial<EngineFacts> } = {}) {
    this.kind = options.kind ?? 'docker';
    this.onProbe = () => ({ ...fakeFacts, kind: this.kind, ...options.facts });
  }

  /** Makes an image be there under `reference`. */
  addImage(reference: string, image: Partial<ImageInfo> = {}): void {
    this.images.set(reference, fakeImage(reference, image));
  }

  /** Marks a container as killed for its memory, as the engine would. */
  markOomKilled(name: string): void {
    const container = this.#containers.get(name);
    if (container !== undefined) container.oomKilled = true;
  }

  close(): void {
    for (const name of this.#containers.keys()) this.#drop(name);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  async probe(timeoutMs: number): Promise<EngineFacts> {
    return await this.onProbe(timeoutMs);
  }

  inspectImage(reference: string): Promise<ImageInfo | null> {
    const byId = [...this.images.values()].find((image) => image.id === reference);
    return Promise.resolve(this.images.get(reference) ?? byId ?? null);
  }

  pullImage(reference: string, options: Parameters<Engine['pullImage']>[1]): Promise<void> {
    const image = this.registry.get(reference);
    if (image === undefined)
      return Promise.reject(runtimeErrors.create('IMAGE_PULL_FAILED', { image: reference, why: 'no such image' }));
    options.onProgress?.(`${reference}: pulled`);
    this.images.set(reference, image);
    this.pulled.push(reference);
    return Promise.resolve();
  }

  listImages(reference: string): Promise<readonly FakeImage[]> {
    const found = [...this.images].filter(([name]) => name === reference || name.startsWith(`${reference}:`));
    return Promise.resolve(found.map(([, image]) => image));
  }

  buildImage(options: Parameters<Engine['buildImage']>[0]): Promise<void> {
    const [image = ''] = options.tags;
    if (!existsSync(join(options.contextDir, 'Dockerfile')))
      return Promise.reject(runtimeErrors.create('IMAGE_BUILD_FAILED', { image, why: 'there is no Dockerfile' }));
    options.onProgress?.(`building ${options.tags.join(', ')}`);
    const built = { ...fakeImage(image, { labels: options.labels }), tags: options.tags };
    for (const tag of options.tags) this.images.set(tag, built);
    return Promise.resolve();
  }

  async runThrowaway(spec: ContainerSpec, options: Parameters<Engine['runThrowaway']>[1]): Promise<ThrowawayResult> {
    const answer = this.onThrowaway?.(spec) ?? null;
    if (answer !== null || !this.images.has(spec.image)) {
      this.specs.push(spec);
      return answer ?? { exitCode: 125, stdout: '', stderr: `no image ${spec.image}`, timedOut: false };
    }
    const command = this.clientCommand(spec, options.env);
    const [name = ''] = [...this.#containers].at(-1) ?? [];
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      this.#signal(name, 'SIGKILL');
    }, options.timeoutMs);
    const bounds = { input: options.input, timeoutMs: options.timeoutMs + 10_000 };
    const done = await run(runRequest(command.file, command.args, command.env, bounds));
    clearTimeout(timer);
    this.#drop(name);
    const timedOut = late.signal.aborted;
    return { exitCode: timedOut ? null : done.exitCode, stdout: done.stdout, stderr: done.stderr, timedOut };
  }

  clientCommand(spec: ContainerSpec, env: Readonly<Record<string, string>>): ClientCommand {
    renderRunArgs(spec, this.kind); // refuses what a real engine's argv would
    this.specs.push(spec);
    const id = `${randomHex16()}${randomHex16()}`;
    const dir = join(this.#dir, id);
    mkdirSync(dir);
    this.#containers.set(spec.name ?? id, { id, spec, dir, oomKilled: false });
    const client = prepareClient(spec, { PATH: process.env['PATH'] ?? '' }, env);
    const inside = { ...client.env, ...client.spec.envLiterals };
    const toHost = (text: string): string =>
      spec.mounts.reduce(
        (out, mount) => (out.startsWith(mount.target) ? mount.source + out.slice(mount.target.length) : out),
        text,
      );
    const { entrypoint: named } = spec;
    const own = this.entrypoints.get(spec.image) ?? [];
    const entrypoint = named === null ? own : (this.programs.get(named) ?? [named]);
    const command = [...entrypoint, ...spec.command].map(toHost);
    return {
      file: '/bin/sh',
      args: ['-c', script, 'fake', dir, spec.cidFile ?? '', toHost(spec.workingDir ?? ''), ...command],
      env: Object.fromEntries(Object.entries(inside).map(([name, value]) => [name, toHost(value)])),
    };
  }

  async startContainer(spec: Parameters<Engine['startContainer']>[0]): Promise<string> {
    const why = this.onStart?.(spec) ?? (this.images.has(spec.image) ? null : `no image ${spec.image}`);
    if (why !== null) {
      this.specs.push(spec);
      await this.removeContainer(spec.name);
      throw runtimeErrors.create('CONTAINER_NOT_STARTED', { cli: this.cli, name: spec.name, why });
    }
    const { file, args, env } = this.clientCommand(spec, {});
    const over = run(runRequest(file, args, env, { timeoutMs: startedMaxMs }));
    const started = async (): Promise<void> => {
      while ((await this.inspectContainer(spec.name)) === null) await delay(5);
    };
    await Promise.race([started(), over]);
    return this.#containers.get(spec.name)?.id ?? '';
  }

  async exec(...[name, argv, options]: Parameters<Engine['exec']>): Promise<ThrowawayResult> {
    const container = this.#containers.get(name);
    if (container === undefined || (await this.inspectContainer(name))?.running !== true)
      return { exitCode: 125, stdout: '', stderr: `no running container ${name}`, timedOut: false };
    const env = { PATH: process.env['PATH'] ?? '', ...container.spec.envLiterals };
    const [file = '', ...args] = argv;
    const done = await run(runRequest(file, args, env, options));
    return {
      exitCode: done.notFound ? 127 : done.exitCode,
      stdout: done.stdout,
      stderr: done.stderr,
      timedOut: done.timedOut,
    };
  }

  inspectContainer(name: string): Promise<ContainerState | null> {
    const container = this.#containers.get(name);
    if (container === undefined || readOrNull(join(container.dir, 'pid')) === null) return Promise.resolve(null);
    const exit = readOrNull(join(container.dir, 'exit'));
    return Promise.resolve({
      id: container.id,
      running: exit === null,
      pid: exit === null ? Number(readOrNull(join(container.dir, 'pid'))) : null,
      exitCode: exit === null ? null : Number(exit),
      oomKilled: container.oomKilled,
      memoryLimitBytes: container.spec.limits.memoryBytes ?? 0,
    });
  }

  removeContainer(name: string): Promise<void> {
    this.removed.push(name);
    this.#drop(name);
    return Promise.resolve();
  }

  listContainers(label: { readonly key: string; readonly value: string }): Promise<readonly ListedContainer[]> {
    const rows = [...this.#containers].filter(([, container]) => container.spec.labels[label.key] === label.value);
    return Promise.resolve(rows.map(([name, { id, spec }]) => ({ name, id, labels: spec.labels })));
  }

  killContainer(name: string, signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#signal(name, signal);
    return Promise.resolve();
  }

  #drop(name: string): void {
    const container = this.#containers.get(name);
    if (container === undefined) return;
    this.#signal(name, 'SIGKILL');
    this.#containers.delete(name);
  }

  #signal(name: string, signal: NodeJS.Signals): void {
    const container = this.#containers.get(name);
    if (container === undefined || readOrNull(join(container.dir, 'exit')) !== null) return;
    const pid = Number(readOrNull(join(container.dir, 'pid')));
    if (pid <= 0) return;
    // A container ends whole; of a signal only its first process hears.
    for (const target of signal === 'SIGKILL' ? [...descendants(pid), pid] : [pid]) {
      try {
        process.kill(target, signal);
      } catch {
        // it has ended by itself
      }
    }
  }
}

function descendants(pid: number): number[] {
  const children = (readOrNull(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter((text) => text !== '');
  return children.flatMap((child) => [...descendants(Number(child)), Number(child)]);
}

/** Facts of an ordinary rootful engine that enforces everything. */
export const fakeFacts: EngineFacts = {
  kind: 'docker',
  serverVersion: '0.0-fake',
  rootless: false,
  appliesSelinuxLabels: false,
  enforceable: new Set(['cpu', 'memory', 'swap', 'pids']),
  remote: null,
  storageDriver: null,
  endpoint: 'unix:///fake.sock',
};

function fakeImage(reference: string, image: Partial<ImageInfo>): FakeImage {
  const id = randomHex16().repeat(4);
  return { id, env: [], labels: {}, sizeBytes: 1, createdAt: '2026-01-01T00:00:00.000Z', tags: [reference], ...image };
}

/** Null too of a file that is about to be written. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}
