import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ItemView, PublicItem } from '../../src/compose/index.ts';
import { openDaemonClient, type DaemonClient } from '../../src/daemon-client/index.ts';
import type { EventRow } from '../../src/events/index.ts';
import type { EngineHost } from './hosts.ts';
import { Person } from './person.ts';

/** A daemon in the foreground, and the way to speak to it. */
interface Daemon {
  readonly child: ChildProcess;
  readonly client: DaemonClient;
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>;
}

/** Everything of a home and its repository that an item leaves, without ids. */
export interface Traces {
  readonly files: readonly string[];
  readonly engine: readonly string[];
  /** How the person's repository differs from what it was: their own refs, their working tree, worktrees of no item. */
  readonly repository: readonly string[];
}

/** How an item ended. */
export interface Outcome {
  readonly view: ItemView;
  readonly events: readonly EventRow[];
  /** Null when the branch is not there. */
  readonly tree: string | null;
  readonly traces: Traces;
  readonly filed: boolean;
}

const resting = new Set<string>(['completed', 'needs_human', 'paused', 'abandoned']);

/** One commit of the agent's own and one file that it leaves uncommitted. May be run again over what it did before. */
const script = [
  'demo: write one.txt one',
  'demo: sh git add one.txt && { git diff --cached --quiet || git commit --quiet -m "Add one"; }',
  'demo: write two.txt two',
].join('\n');

/** A home in which items are filed one after the other and the daemon is killed in between. */
export class CrashHome implements AsyncDisposable {
  readonly person: Person;
  readonly repository: string;
  readonly #preload: string;
  readonly #own: readonly string[];
  readonly #known = new Set<string>();
  #daemon: Daemon | null = null;

  private constructor(person: Person, repository: string, own: readonly string[]) {
    this.person = person;
    this.repository = repository;
    this.#own = own;
    const source = readFileSync(resolve(import.meta.dirname, 'crash-preload.ts'), 'utf8');
    this.#preload = person.write('crash-preload.ts', source);
  }

  static async open(host: EngineHost): Promise<CrashHome> {
    const person = new Person(host);
    const repository = await person.sampleRepository();
    await person.kraft('repo', 'connect', repository, '--open-network', '--setup-command', 'true', '--no-tests');
    return new CrashHome(person, repository, await readOwn(person, repository));
  }

  /** Takes an item to its end and gives the points that it passed, in their order. */
  async record(): Promise<{ readonly points: readonly string[]; readonly outcome: Outcome }> {
    const log = this.person.write('points.log', '');
    await this.#start({ CRASH_LOG: log });
    const id = await this.#file();
    this.#known.add(id);
    const outcome = await this.#await(id);
    await this.#stop();
    const points = readFileSync(log, 'utf8').trim().split('\n');
    return { points: [...new Set(points)], outcome };
  }

  /** Files an item under a daemon that dies at `point`, and takes it to its end under one that does not. */
  async crash(point: string): Promise<Outcome> {
    // What is kept per image is made anew where the point may lie in that.
    if (/sandbox-(?:image|ca)|engine-client|run probe|mkdir \/kraft\/run/.test(point)) {
      for (const kept of ['sandbox-image', 'sandbox-ca'])
        rmSync(join(this.person.kraftHome, 'run', kept), { recursive: true, force: true });
    }
    const { gone } = await this.#start({ CRASH_AT: point });
    // The answer may die with the daemon.
    const asked = this.#file().catch(() => null);
    const deadline = once(AbortSignal.timeout(90_000), 'abort').then(() => 'late');
    const late = (await Promise.race([gone, deadline])) === 'late';
    const answered = await asked;
    if (late) {
      if (answered !== null) this.#known.add(answered);
      throw new Error(`the daemon did not come by ${point}`);
    }
    await this.#start({});
    const items = await this.#client.send<readonly PublicItem[]>('items', { query: { includeAbandoned: true } });
    const filed = items.find((item) => !this.#known.has(item.id));
    const id = filed?.id ?? (await this.#file());
    this.#known.add(id);
    return { ...(await this.#await(id)), filed: filed !== undefined };
  }

  /** Tries an item again that stopped. */
  async retry(id: string): Promise<Outcome> {
    await this.#client.send('itemVerb', { params: { id, verb: 'retry' } });
    return this.#await(id);
  }

  /** Ends the daemon in good order, so that the next crash begins anew. */
  async finish(): Promise<void> {
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.person[Symbol.asyncDispose]();
  }

  get #client(): DaemonClient {
    if (this.#daemon === null) throw new Error('no daemon runs');
    return this.#daemon.client;
  }

  async #start(env: Readonly<Record<string, string>>): Promise<Daemon> {
    const armed = Object.keys(env).length > 0;
    const child = this.person.spawnDaemon({
      args: armed ? ['--import', `file://${this.#preload}`] : [],
      env: armed ? { CRASH_DIR: this.person.dir, ...env } : {},
    });
    const gone = once(child, 'exit').then(() => undefined);
    const client = openDaemonClient({ socketPath: join(this.person.kraftHome, 'run/kraft.sock'), version: 'test' });
    const deadline = AbortSignal.timeout(60_000);
    while ((await client.findHealth().catch(() => null)) === null) {
      if (deadline.aborted || child.exitCode !== null) throw new Error(`the daemon did not start:\n${this.log()}`);
      await once(AbortSignal.timeout(25), 'abort');
    }
    this.#daemon = { child, client, gone };
    return this.#daemon;
  }

  async #stop(): Promise<void> {
    if (this.#daemon === null) return;
    const { child, gone } = this.#daemon;
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await gone;
    this.#daemon = null;
  }

  /** The last lines of the daemon's log. */
  log(): string {
    const path = join(this.person.dir, 'daemon.log');
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-20).join('\n') : '';
  }

  async #file(): Promise<string> {
    const { item } = await this.#client.send<ItemView>('createItem', {
      body: {
        title: 'Add two files',
        description: script,
        repo: this.repository,
        chain: 'quick-task',
        harness: 'demo',
        baseBranch: null,
        autostart: true,
      },
    });
    return item.id;
  }

  /** Waits by the events alone: showing an item would start git, which is no part of its life. */
  async #await(id: string): Promise<Outcome> {
    const deadline = AbortSignal.timeout(120_000);
    for (let afterSeq = 0; ;) {
      const items = await this.#client.send<readonly PublicItem[]>('items');
      const status = items.find((item) => item.id === id)?.status ?? 'gone';
      if (resting.has(status)) return this.#outcome(id);
      if (deadline.aborted) throw new Error(`item ${id} is still ${status}\n${this.log()}`);
      const query = { after_seq: afterSeq, waitMs: 2_000 };
      const events = await this.#client.send<readonly EventRow[]>('itemEvents', { params: { id }, query });
      afterSeq = events.at(-1)?.seq ?? afterSeq;
    }
  }

  async #outcome(id: string): Promise<Outcome> {
    const view = await this.#client.send<ItemView>('item', { params: { id } });
    const { branch } = view.item;
    const events = await this.#client.send<readonly EventRow[]>('itemEvents', { params: { id } });
    const tree = await this.person.run('git', ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{tree}`], {
      cwd: this.repository,
    });
    return {
      view,
      events,
      tree: tree.exitCode === 0 ? tree.stdout.trim() : null,
      traces: await this.#traces(),
      filed: true,
    };
  }

  async #traces(): Promise<Traces> {
    const { cli } = this.person.host;
    const label = `label=kraft.home=${this.person.kraftHome}`;
    const list = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await this.person.must(cli, [...args, '--filter', label])).split('\n').filter((line) => line !== '');
    const own = await readOwn(this.person, this.repository);
    const worktrees = await this.person.git(this.repository, 'worktree', 'list', '--porcelain');
    const listed = [...worktrees.matchAll(/^worktree (.*)$/gm)].map(([, path = '']) => path);
    const strange = listed.filter((path) => path !== this.repository && !this.#known.has(basename(path)));
    return {
      files: [
        ...this.#names(join(this.person.kraftHome, 'run'), 'run', 3),
        ...this.#names(join(this.repository, '.git'), '.git', 6),
      ],
      engine: [
        ...(await list('ps', '-a', '--format', '{{.Names}} {{.Status}}')),
        ...(await list('volume', 'ls', '--format', '{{.Name}}')),
      ],
      repository: [...own.filter((line) => !this.#own.includes(line)), ...strange],
    };
  }

  /** Names below a folder, without what workers and objects are made of, each kind of name once. */
  #names(folder: string, shown: string, depth: number): readonly string[] {
    const names = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const name = `${shown}/${entry.name}`;
      const closed = /^run\/(?:worktrees|sandbox-git|sandbox-home)\/[^/]+$|^\.git\/objects\/[^/]+$/.test(name);
      const deeper = entry.isDirectory() && !closed && depth > 1;
      return [this.#settle(name), ...(deeper ? this.#names(join(folder, entry.name), name, depth - 1) : [])];
    });
    return [...new Set(names)].sort();
  }

  #settle(text: string): string {
    const ids = [...this.#known].join('|');
    return text
      .replaceAll(new RegExp(`(?<![a-z0-9])(?:${ids === '' ? '$^' : ids})(?![a-z0-9])`, 'g'), 'ITEM')
      .replaceAll(/(?<![a-z0-9])[a-hjkmnp-tv-z][a-hjkmnp-tv-z2-9]{19}(?![a-z0-9])/g, 'SESSION')
      .replaceAll(/(?<![a-z0-9])(?:[0-9a-f]{64}|[0-9a-f]{40}|(?:\d+-)?[0-9a-f]{16})(?![a-z0-9])/g, 'ID')
      .replaceAll(/\.git\/objects\/[0-9a-f]{2}$/g, '.git/objects/ID');
  }
}

/** What of the repository is the person's: every ref but Kraft's, and what their working tree says. */
async function readOwn(person: Person, repository: string): Promise<readonly string[]> {
  const refs = await person.git(repository, 'for-each-ref', '--format=%(refname) %(objectname)');
  const status = await person.git(repository, 'status', '--porcelain', '--branch');
  return [...refs.split('\n').filter((line) => !/^refs\/(?:heads\/)?kraft\//.test(line)), ...status.split('\n')];
}
