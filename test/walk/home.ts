import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { randomIds, systemClock, type KraftError, type Log } from '../../src/base/index.ts';
import { loadChain } from '../../src/chain/index.ts';
import {
  noPolicyLayers,
  type HarnessProfiles,
  type PolicySettings,
  type ResolvedRepo,
} from '../../src/config/index.ts';
import type { EventRow } from '../../src/events/index.ts';
import { openGit, type Git } from '../../src/git/index.ts';
import { loadHarnesses, selectHarness } from '../../src/harness/index.ts';
import type { Item } from '../../src/items/index.ts';
import { openStore, type SessionRow, type Store } from '../../src/store/index.ts';
import { createWalker, type FileRequest, type Walker, type WalkPorts } from '../../src/walk/index.ts';
import { FakeLauncher } from '../support/fake-launcher.ts';
import { sampleRepo as emptyRepo } from '../support/sample-repo.ts';

// Each item is some fifty git processes, and test files share the machine.
vi.setConfig({ testTimeout: 60_000 });

/** A Kraft home with real git and a real store, one connected repository, and sessions that are plain processes. */
export class Home implements AsyncDisposable {
  readonly base: string;
  readonly repoDir: string;
  readonly launcher: FakeLauncher;
  readonly git: Git;
  readonly warnings: string[] = [];
  repo: ResolvedRepo;
  policy: PolicySettings = {
    maxConcurrent: 3,
    diskFloorBytes: 0,
    timeCapMinutes: null,
    layers: noPolicyLayers,
    loop: { maxAttempts: 3, wallClockMs: 3_600_000 },
    loops: {},
    workItemUsd: null,
    dailyUsd: null,
    rateLimitRetries: 5,
    all: {},
  };
  policyError: KraftError | null = null;
  reposError: KraftError | null = null;
  /** Harness and agent profiles of harnesses.yaml. */
  harnessProfiles: HarnessProfiles['harnesses'] = {};
  agentProfiles: HarnessProfiles['profiles'] = {};
  /** How far the walker's clock is ahead of the system's. */
  aheadMs = 0;
  /** What is armed; nothing rings by itself. */
  readonly alarms = new Set<{ readonly ms: number; readonly ring: () => void }>();
  lookAtRow: WalkPorts['lookAtRow'] = null;
  store!: Store;
  walker!: Walker;

  private constructor(base: string) {
    this.base = base;
    this.repoDir = join(base, 'repo');
    this.launcher = new FakeLauncher(base);
    this.repo = sampleRepo(this.repoDir);
    const runDir = join(base, 'run');
    this.git = openGit({
      runDir,
      env: { PATH: process.env['PATH'] ?? '', HOME: join(base, 'user'), GIT_CONFIG_NOSYSTEM: '1' },
      umask: 0o022,
      containerPaths: {
        alternateObjects: '/kraft/alternate/objects',
        alternateLfs: '/kraft/alternate/lfs',
      },
      log: this.#log,
    });
  }

  static async open(): Promise<Home> {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-walk-')));
    for (const dir of ['run', 'user', 'config', 'worker-home']) mkdirSync(join(base, dir), { mode: 0o700 });
    cpSync(template(), join(base, 'repo'), { recursive: true });
    const home = new Home(base);
    await home.boot();
    onTestFinished(async () => {
      await home[Symbol.asyncDispose]();
      rmSync(base, { recursive: true, force: true });
    });
    return home;
  }

  /** A daemon: opens the store and takes up what an earlier one left. */
  async boot(): Promise<void> {
    this.store = await openStore({ path: join(this.base, 'run', 'orchestrator.db'), clock: systemClock });
    this.walker = createWalker(this.ports());
  }

  async shutDown(): Promise<void> {
    await this.walker[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutDown();
    await this.launcher[Symbol.asyncDispose]();
  }

  ports(): WalkPorts {
    const config = join(this.base, 'config');
    return {
      store: this.store,
      git: this.git,
      launcher: this.launcher,
      paths: { home: this.base, config, run: join(this.base, 'run') },
      clock: { ...systemClock, nowMs: () => systemClock.nowMs() + this.aheadMs },
      ids: randomIds,
      log: this.#log,
      loadRepos: () => (this.reposError === null ? Promise.resolve([this.repo]) : Promise.reject(this.reposError)),
      loadPolicy: () => (this.policyError === null ? Promise.resolve(this.policy) : Promise.reject(this.policyError)),
      loadChain: (id) => loadChain(config, id),
      loadHarness: async (name) => {
        const selected = selectHarness(name, await loadHarnesses(config), this.harnessProfiles);
        // The agent of the worker image, run where it lies.
        const agent = join(import.meta.dirname, '../../images/worker/demo/agent.mjs');
        if (selected.harness.id !== 'demo') return selected;
        return { ...selected, harness: { ...selected.harness, command: [process.execPath, agent] } };
      },
      lookAtRow: this.lookAtRow,
      loadAgentProfiles: () => Promise.resolve(this.agentProfiles),
      usagePollMs: 10,
      alarm: (ms, ring) => {
        const alarm = { ms, ring };
        this.alarms.add(alarm);
        return () => this.alarms.delete(alarm);
      },
      fullDiskRetryMs: 10,
    };
  }

  /** Adds harnesses whose agent is `stream-agent.ts` under their name: it prints a log as `claude` does. */
  addStreamHarnesses(...names: string[]): void {
    const dir = join(this.base, 'config', 'harnesses');
    mkdirSync(dir, { recursive: true });
    const agent = join(import.meta.dirname, '../support/stream-agent.ts');
    for (const id of names) {
      const file = {
        id,
        kind: 'cli',
        command: [process.execPath, agent, id],
        capabilities: {
          prompt: { cli: ['-p', '{value}'] },
          context: { channel: 'prompt' },
          usage: { source: 'envelope', reader: 'claude-stream-json' },
          model: { cli: ['--model', '{value}'] },
          effort: { cli: ['--effort', '{value}'] },
          resume: { cli: ['--resume', '{value}'] },
        },
      };
      writeFileSync(join(dir, `${id}.yaml`), JSON.stringify(file));
    }
  }

  writeChain(id: string, chain: object): void {
    const dir = join(this.base, 'config', 'chains');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, `${id}.yaml`), JSON.stringify(chain));
  }

  /** What an item's agents printed, each as its arguments and what it was asked. */
  async prompts(id: string): Promise<readonly { readonly name: string; readonly args: readonly string[] }[]> {
    const rows = (await this.sessions(id)).filter((row) => row.harness !== null && row.startedAt !== null);
    return rows.flatMap((row) =>
      readFileSync(row.logPath, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{"started"'))
        .map((line) => (JSON.parse(line) as { started: { name: string; args: string[] } }).started),
    );
  }

  /** Lets time pass until the next alarm and rings it. */
  async passTime(): Promise<void> {
    const [alarm] = this.alarms;
    if (alarm === undefined) throw new Error('nothing is armed');
    this.alarms.delete(alarm);
    this.aheadMs += alarm.ms;
    alarm.ring();
    await this.walker.idle();
  }

  file(description: string, more: Partial<FileRequest> = {}): Promise<Item> {
    return this.walker.file({
      title: 'Change something',
      description,
      repo: this.repoDir,
      chain: null,
      harness: null,
      baseBranch: null,
      autostart: false,
      ...more,
    });
  }

  /** Files, starts and waits until nothing walks any more. */
  async run(description: string, more: Partial<FileRequest> = {}): Promise<Item> {
    const { id } = await this.file(description, more);
    await this.walker.start(id);
    return this.rest(id);
  }

  async rest(id: string): Promise<Item> {
    await this.walker.idle();
    return this.item(id);
  }

  async item(id: string): Promise<Item> {
    return (await this.store.getItem(id))!;
  }

  sessions(id: string): Promise<readonly SessionRow[]> {
    return this.store.listSessions({ itemId: id, statuses: null });
  }

  events(id: string): Promise<readonly EventRow[]> {
    return this.store.events({ itemId: id, type: null, afterSeq: 0, limit: 500 });
  }

  async eventTypes(id: string): Promise<readonly string[]> {
    return (await this.events(id)).map((event) => event.type);
  }

  /** Resolves once an event of the item passes. */
  async until(id: string, type: EventRow['type']): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = this.store.onEvents((rows) => {
        if (rows.some((row) => row.work_item_id === id && row.type === type)) done();
      });
      const done = (): void => {
        stop();
        resolve();
      };
      this.events(id).then((rows) => rows.some((row) => row.type === type) && done(), reject);
    });
  }

  worktree(id: string, ...path: string[]): string {
    return join(this.base, 'run', 'worktrees', id, ...path);
  }

  person(...args: string[]): string {
    return git(this.repoDir, args);
  }

  readonly #log: Log = {
    info: () => undefined,
    warn: (line) => this.warnings.push(line),
    error: (line) => this.warnings.push(line),
  };
}

/** The repository of a home: the tests look for a file that the agent is to write. */
export function sampleRepo(path: string): ResolvedRepo {
  return emptyRepo({
    path,
    defaultChain: 'quick-task',
    tests: { kind: 'scopes', scopes: [{ paths: ['**'], command: 'test -f wanted.txt' }] },
    setupCommand: '',
    sandbox: {
      kind: 'docker',
      image: 'kraft-worker',
      resources: { cpu: null, memoryBytes: null, pids: null },
      network: null,
      credentials: [],
    },
  });
}

const made = new Map<string, string>();

/** One repository with one commit, copied by each test. */
function template(): string {
  const known = made.get('repo');
  if (known !== undefined) return known;
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kraft-walk-template-')));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  git(dir, ['init', '-q', '-b', 'main']);
  git(dir, ['config', 'user.name', 'Ann']);
  git(dir, ['config', 'user.email', 'ann@example.org']);
  writeFileSync(join(dir, 'README'), 'hello\n');
  writeFileSync(join(dir, '.gitignore'), '.env\n');
  git(dir, ['add', '.']);
  git(dir, ['commit', '-q', '-m', 'first']);
  made.set('repo', dir);
  return dir;
}

function git(cwd: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}
