import { systemClock } from '../../src/base/index.ts';
import type { PolicySettings, ResolvedRepo, SandboxSettings } from '../../src/config/index.ts';
import { createDoctor, type DoctorOptions, type DoctorReport, type DoctorRow } from '../../src/doctor/index.ts';
import type { RepositoryProbe } from '../../src/git/index.ts';
import type { DockerSandbox } from '../../src/launch/index.ts';
import {
  createEngineProbe,
  type ContainerSpec,
  type Engine,
  type EngineFacts,
  type ImageInfo,
  type ThrowawayResult,
} from '../../src/runtime/index.ts';
import { sampleRepo } from '../support/sample-repo.ts';

/** A host on which everything is in order, seen through fakes at doctor's ports; a test breaks one thing of it. */
export const person = { uid: 1000, gid: 1000 };
export const gib = 1024 ** 3;

export function sandbox(overrides: Partial<DockerSandbox> = {}): DockerSandbox {
  return {
    kind: 'docker',
    image: 'agent:1',
    resources: { cpu: 2, memoryBytes: gib, pids: null },
    network: null,
    credentials: [],
    ...overrides,
  };
}

export function repo(overrides: Partial<ResolvedRepo> = {}): ResolvedRepo {
  return sampleRepo({
    path: '/code/shop',
    label: 'shop',
    defaultChain: 'quick-task',
    tests: { kind: 'scopes', scopes: [{ paths: ['.'], command: 'npm test' }] },
    setupCommand: 'npm ci',
    sandbox: sandbox(),
    line: 2,
    ...overrides,
  });
}

export const settings: SandboxSettings = {
  cli: null,
  selinux: 'auto',
  caBundle: null,
  relayImage: null,
  credentials: {},
};

export const policy = {
  maxConcurrent: 3,
  diskFloorBytes: 2 * gib,
  timeCapMinutes: null,
  all: {},
} as unknown as PolicySettings;

export const facts: EngineFacts = {
  kind: 'docker',
  serverVersion: '27.0.1',
  rootless: false,
  appliesSelinuxLabels: false,
  enforceable: new Set(['cpu', 'memory', 'swap', 'pids'] as const),
  remote: null,
  storageDriver: 'overlay2',
  endpoint: 'unix:///var/run/docker.sock',
};

export const probed: RepositoryProbe = {
  repository: { root: '/code/shop', commonDir: '/code/shop/.git', refStorage: 'files', objectFormat: 'sha1' },
  linkedWorktreeOf: null,
  hasCommit: true,
  bare: false,
  originUrl: 'https://example.org/shop.git',
  defaultBranch: 'main',
  branchKraft: false,
  identity: { name: 'Ann', email: 'ann@example.org' },
  notes: [],
  problem: null,
};

export const image: ImageInfo = { id: 'abc', env: [], labels: {}, sizeBytes: 1, createdAt: '2026-01-01T00:00:00.000Z' };

/** What the container that looks around says when every limit of `sandbox()` is in force. */
export const inside: Readonly<Record<string, string>> = {
  memory: String(gib),
  swap: '0',
  pids: '4096',
  cpu: '200000 100000',
  write: 'yes',
  ca: 'no',
  node: 'v24.1.0',
};

/** Answers the container that looks around; the marker is the last argument of its command. */
export function answer(spec: ContainerSpec, said: Readonly<Record<string, string>>): ThrowawayResult {
  const marker = spec.command.at(-1) ?? '';
  const lines = Object.entries({ ...said, end: 'here' }).map(([name, value]) => `${marker} ${name} ${value}`);
  return { exitCode: 0, stdout: `an image may print this first\n${lines.join('\n')}\n`, stderr: '', timedOut: false };
}

/** What a test changes of the good host. */
export interface Ground {
  readonly options?: Partial<DoctorOptions>;
  readonly host?: Partial<DoctorOptions['host']>;
  readonly config?: Partial<DoctorOptions['config']>;
  readonly steps?: Partial<DoctorOptions['steps']>;
  readonly repos?: readonly ResolvedRepo[];
  readonly settings?: Partial<SandboxSettings>;
  readonly policy?: Partial<PolicySettings>;
  readonly facts?: Partial<EngineFacts>;
  readonly engine?: Partial<Engine>;
  readonly env?: Readonly<Record<string, string>>;
  readonly probed?: Partial<RepositoryProbe>;
  /** Owner of the file that the container wrote; null when it wrote none. */
  readonly writtenBy?: number | null;
  readonly inside?: Readonly<Record<string, string>>;
}

function fakeEngine(ground: Ground): Engine {
  const refused = (): never => {
    throw new TypeError('doctor does not call this');
  };
  return {
    kind: 'docker',
    cli: '/usr/bin/docker',
    probe: () => Promise.resolve({ ...facts, ...ground.facts }),
    inspectImage: () => Promise.resolve(image),
    runThrowaway: (spec) => Promise.resolve(answer(spec, { ...inside, ...ground.inside })),
    pullImage: refused,
    listImages: refused,
    buildImage: refused,
    startContainer: refused,
    exec: refused,
    clientCommand: refused,
    inspectContainer: refused,
    removeContainer: refused,
    listContainers: refused,
    killContainer: refused,
    ...ground.engine,
  };
}

export function options(ground: Ground = {}): DoctorOptions {
  const engine = fakeEngine(ground);
  return {
    paths: { home: '/home/you/.kraft', config: '/home/you/.kraft/config', run: '/home/you/.kraft/run' },
    version: '0.1.0',
    env: (name) => ground.env?.[name],
    host: {
      ...person,
      processors: 1,
      totalMemoryBytes: () => 16 * gib,
      freeBytes: () => Promise.resolve(100 * gib),
      ownership: () => Promise.resolve({ mode: 0o700, uid: person.uid }),
      selinuxEnforcing: () => false,
      namesDockerProxies: () => Promise.resolve(false),
      makeProbeDir: () =>
        Promise.resolve({
          path: '/home/you/.kraft/run/doctor-x/mounted',
          addFile: (name) => Promise.resolve(`/home/you/.kraft/run/doctor-x/${name}`),
          ownerOf: () => Promise.resolve(ground.writtenBy === undefined ? person.uid : ground.writtenBy),
          remove: () => Promise.resolve(),
        }),
      ...ground.host,
    },
    config: {
      repos: () => Promise.resolve({ repos: ground.repos ?? [repo()], workspaces: [], warnings: [] }),
      sandbox: () => Promise.resolve({ ...settings, ...ground.settings }),
      policy: () => Promise.resolve({ ...policy, ...ground.policy }),
      others: () => Promise.resolve(),
      readableEnv: () => Promise.resolve(null),
      ...ground.config,
    },
    daemon: { pid: 4711, version: '0.1.0' },
    strayWorktrees: () => Promise.resolve([]),
    openEngine: () => Promise.resolve({ engine, probe: createEngineProbe(engine, systemClock) }),
    git: { probeRepository: () => Promise.resolve({ ...probed, ...ground.probed }) },
    steps: {
      preflight: () => Promise.resolve({ facts, imageId: 'abc', pulled: false, warnings: [] }),
      probeRoute: () => Promise.resolve(),
      refusals: () => Promise.resolve([]),
      programs: () => Promise.resolve([{ program: 'git', neededBy: 'Kraft', startsWith: null }]),
      harnesses: () => Promise.resolve([{ id: 'claude', networkRequires: ['api.anthropic.com'] }]),
      propose: () => Promise.resolve({ setup: 'npm ci', test: 'npm test' }),
      ...ground.steps,
    },
    ...ground.options,
  };
}

export function diagnose(ground: Ground = {}): Promise<DoctorReport> {
  return createDoctor(options(ground)).run();
}

/** One row of a run, with the codes of the errors behind it. */
export async function rowOf(
  name: string,
  ground: Ground = {},
): Promise<DoctorRow & { readonly codes: readonly string[] }> {
  const { rows } = await diagnose(ground);
  const row = rows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new TypeError(`no row ${name} among ${rows.map((r) => r.name).join(', ')}`);
  return { ...row, codes: row.errors.map((error) => error.code) };
}
