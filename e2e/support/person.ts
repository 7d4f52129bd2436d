import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import type { EngineHost } from './hosts.ts';

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface EventLine {
  readonly seq: number;
  readonly type: string;
  readonly work_item_id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface ShownItem {
  readonly item: {
    readonly id: string;
    readonly status: string;
    readonly branch: string;
    readonly worktree: string | null;
    readonly stop: {
      readonly kind: string;
      readonly code: string | null;
      readonly reason: string;
      readonly remedy: string;
      readonly facts: Readonly<Record<string, unknown>>;
    } | null;
  };
  readonly sessions: readonly {
    readonly id: string;
    readonly task: string;
    readonly status: string;
    readonly container: string;
    readonly logPath: string;
    readonly pid: number | null;
  }[];
}

/**
 * A person at their machine: an account, a home, a Kraft home and the installed `kraft`. One method per thing a person
 * does. Everything lies in one temporary folder that `Symbol.asyncDispose` removes after the daemon has been stopped.
 */
export class Person implements AsyncDisposable {
  readonly host: EngineHost;
  readonly dir: string;
  readonly kraftHome: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #installed: string;

  constructor(host: EngineHost, env: Readonly<Record<string, string>> = {}) {
    this.host = host;
    this.#installed = inject('installed');
    this.dir = mkdtempSync(join(tmpdir(), 'kp-'));
    this.kraftHome = join(this.dir, 'kraft');
    chownSync(this.dir, host.uid, host.gid);
    chmodSync(this.dir, 0o755);
    this.#env = {
      ...host.env,
      PATH: `${join(this.#installed, 'bin')}:${host.env['PATH'] ?? ''}`,
      KRAFT_HOME: this.kraftHome,
      GIT_CONFIG_GLOBAL: join(this.dir, 'gitconfig'),
      NO_COLOR: '1',
      NODE_COMPILE_CACHE: this.#compileCache(),
      ...env,
    };
    this.write('gitconfig', '[user]\n\tname = Ada Person\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n');
    this.write('kraft/config/sandbox.yaml', `cli: ${host.cli}\n`);
    chmodSync(this.kraftHome, 0o700);
    chmodSync(join(this.kraftHome, 'config'), 0o700);
  }

  /** Where Node keeps the compiled program between the many commands of the stories; one for each account. */
  #compileCache(): string {
    const dir = join(this.#installed, `compiled-${this.host.uid}`);
    mkdirSync(dir, { recursive: true });
    chownSync(dir, this.host.uid, this.host.gid);
    return dir;
  }

  /** Writes a file of the person's, owned by them, parents included. */
  write(path: string, text: string): string {
    const file = resolve(this.dir, path);
    const missing: string[] = [];
    for (let at = dirname(file); at.startsWith(this.dir) && at !== this.dir; at = dirname(at)) missing.unshift(at);
    for (const folder of missing) {
      mkdirSync(folder, { recursive: true });
      chownSync(folder, this.host.uid, this.host.gid);
    }
    writeFileSync(file, text);
    chownSync(file, this.host.uid, this.host.gid);
    return file;
  }

  /** Runs a program as the person; a non-zero exit is a result. */
  async run(file: string, args: readonly string[], options: { cwd?: string; timeoutMs?: number } = {}): Promise<Ended> {
    const [program = file, ...rest] = [...this.host.as, file, ...args];
    return new Promise((done, failed) => {
      execFile(
        program,
        rest,
        {
          cwd: options.cwd ?? this.dir,
          env: { ...this.#env },
          timeout: options.timeoutMs ?? 120_000,
          maxBuffer: 256 * 1024 * 1024,
        },
        (error, stdout, stderr) => {
          const code = (error as { code?: unknown } | null)?.code;
          if (error !== null && typeof code !== 'number')
            failed(new Error(`${file} ${args.join(' ')}: ${error.message}\n${stderr}`));
          else done({ exitCode: typeof code === 'number' ? code : 0, stdout, stderr });
        },
      );
    });
  }

  /** Runs a program that must succeed and gives its standard output, trimmed. */
  async must(
    file: string,
    args: readonly string[],
    options: { cwd?: string; timeoutMs?: number } = {},
  ): Promise<string> {
    const ended = await this.run(file, args, options);
    if (ended.exitCode !== 0)
      throw new Error(`${file} ${args.join(' ')} exited ${ended.exitCode}:\n${ended.stdout}\n${ended.stderr}`);
    return ended.stdout.trim();
  }

  git(repository: string, ...args: readonly string[]): Promise<string> {
    return this.must('git', args, { cwd: repository });
  }

  #kraftArgv(args: readonly string[]): [string, string[]] {
    return [
      join(this.#installed, 'bin', 'node'),
      [join(this.#installed, 'node_modules', 'kraft', 'dist', 'cli', 'main.js'), ...args],
    ];
  }

  tryKraft(...args: readonly string[]): Promise<Ended> {
    const [file, argv] = this.#kraftArgv(args);
    return this.run(file, argv);
  }

  async kraft(...args: readonly string[]): Promise<string> {
    const ended = await this.tryKraft(...args);
    if (ended.exitCode !== 0)
      throw new Error(`kraft ${args.join(' ')} exited ${ended.exitCode}:\n${ended.stdout}\n${ended.stderr}`);
    return ended.stdout;
  }

  async kraftJson<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.kraft(...args, '--json')) as T;
  }

  /** The sample repository as the person's own, with its first commit. */
  async sampleRepository(name = 'sample'): Promise<string> {
    const repository = join(this.dir, name);
    cpSync(resolve(import.meta.dirname, '..', 'fixtures', 'sample-repo'), repository, { recursive: true });
    if (this.host.as.length > 0) await chownTree(repository, this.host);
    await this.git(repository, 'init', '--quiet');
    await this.git(repository, 'add', '.');
    await this.git(repository, 'commit', '--quiet', '-m', 'Start');
    return repository;
  }

  /** Connects with the demo's commands (no setup, `npm test`) and without a network policy, as most stories need none. */
  async connect(repository: string, ...options: readonly string[]): Promise<string> {
    const tests = ['--setup-command', '', '--test-command', 'npm test'];
    return this.kraft('repo', 'connect', repository, '--open-network', ...tests, ...options);
  }

  /**
   * Connects a repository whose tests are declared absent, for stories in which the agent does not mend anything. With
   * `network`, that is what its tasks may reach.
   */
  async connectUntested(
    repository: string,
    network: { readonly allow: readonly string[] } | null = null,
  ): Promise<string> {
    const said = await this.kraft('repo', 'connect', repository, '--open-network', '--setup-command', '', '--no-tests');
    if (network !== null) this.setNetwork(`{runtime: {allow: ${JSON.stringify(network.allow)}}}`);
    return said;
  }

  /** Another network policy in place of the one that `setNetwork` wrote. */
  replaceNetwork(network: string): void {
    const path = join(this.kraftHome, 'config/repos.yaml');
    this.write(path, readFileSync(path, 'utf8').replace(/^( +network: ).*$/m, `$1${network}`));
  }

  /** Writes the network policy of the only repository that is connected. */
  setNetwork(network: string): void {
    const path = join(this.kraftHome, 'config/repos.yaml');
    const text = readFileSync(path, 'utf8');
    const set = text.replace(/^( +)(kind: docker)$/m, `$1$2\n$1network: ${network}`);
    if (set === text) throw new Error(`no sandbox stands in\n${text}`);
    this.write(path, set);
  }

  startDaemon(): Promise<string> {
    return this.kraft('admin', 'start', '--detach');
  }

  /** Files an item for the demo agent on the chain without a gate, unless `options` name another; gives its id. */
  async fileItem(repository: string, description: string, ...options: readonly string[]): Promise<string> {
    const view = await this.kraftJson<ShownItem>(
      'item',
      'create',
      'Mend the total',
      '--repo',
      repository,
      '--harness',
      'demo',
      ...(options.includes('--chain') ? [] : ['--chain', 'quick-task']),
      '--description',
      description,
      ...options,
    );
    return view.item.id;
  }

  async runItem(repository: string, description: string): Promise<ShownItem> {
    const id = await this.fileItem(repository, description);
    await this.kraft('item', 'start', id);
    await this.untilItemRests(id);
    return this.show(id);
  }

  show(id: string): Promise<ShownItem> {
    return this.kraftJson<ShownItem>('view', 'show', id);
  }

  events(id: string): Promise<readonly EventLine[]> {
    return this.kraftJson<readonly EventLine[]>('view', 'events', id);
  }

  /** Follows the item's events until one satisfies `when`; fails with what came when `timeoutMs` has passed. */
  async untilEvent(id: string, when: (event: EventLine) => boolean, timeoutMs = 180_000): Promise<EventLine> {
    const [file, argv] = this.#kraftArgv(['view', 'events', id, '-f', '--json']);
    const [program = file, ...rest] = [...this.host.as, file, ...argv];
    const child = spawn(program, rest, {
      cwd: this.dir,
      env: { ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: timeoutMs,
    });
    const seen: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        const event = JSON.parse(line) as EventLine;
        seen.push(`${event.type} ${JSON.stringify(event.payload)}`);
        if (when(event)) return event;
      }
    } finally {
      child.kill('SIGTERM');
    }
    throw new Error(`the event did not come; these did:\n${seen.join('\n')}`);
  }

  /** Until the file exists; fails when `timeoutMs` has passed. The folder it lies in may come later, so it is asked for. */
  async untilFile(path: string, timeoutMs = 120_000): Promise<void> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (!existsSync(path)) {
      if (deadline.aborted) throw new Error(`${path} did not appear`);
      await once(AbortSignal.timeout(50), 'abort');
    }
  }

  /** Until the file holds the text; fails when `timeoutMs` has passed. */
  async untilText(path: string, text: string, timeoutMs = 120_000): Promise<void> {
    const deadline = AbortSignal.timeout(timeoutMs);
    while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) {
      if (deadline.aborted) throw new Error(`${path} does not say ${text}`);
      await once(AbortSignal.timeout(50), 'abort');
    }
  }

  /** Until the item is completed, stopped for a person, paused or abandoned. */
  untilItemRests(id: string, timeoutMs = 180_000): Promise<EventLine> {
    const resting = ['work_item_completed', 'work_item_needs_human', 'work_item_abandoned'];
    return this.untilEvent(id, (event) => resting.includes(event.type), timeoutMs);
  }

  /** Starts the daemon in the foreground, as a child whose pid the test may kill; its log goes to `daemon.log`. */
  spawnDaemon(node: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }): ChildProcess {
    const [file, argv] = this.#kraftArgv(['admin', 'start']);
    const [program = file, ...rest] = [...this.host.as, file, ...node.args, ...argv];
    const log = openSync(join(this.dir, 'daemon.log'), 'a');
    try {
      return spawn(program, rest, {
        cwd: this.dir,
        env: { ...this.#env, ...node.env },
        stdio: ['ignore', log, log],
        detached: true,
      });
    } finally {
      closeSync(log);
    }
  }

  /** Starts a command of `kraft` that goes on, with pipes; on a terminal of its own when it needs one. */
  spawnKraft(args: readonly string[], on: 'pipes' | 'terminal'): ChildProcess {
    const [file, argv] = this.#kraftArgv(args);
    const words = [file, ...argv].map((word) => `'${word}'`).join(' ');
    const command =
      on === 'pipes'
        ? [file, ...argv]
        : [
            'script',
            '--quiet',
            '--flush',
            '--return',
            '--command',
            `stty rows 24 cols 120; exec ${words}`,
            '/dev/null',
          ];
    const [program = file, ...rest] = [...this.host.as, ...command];
    const env = { ...this.#env, SHELL: '/bin/sh', TERM: 'xterm-256color' };
    return spawn(program, rest, { cwd: this.dir, env, stdio: ['pipe', 'pipe', 'pipe'] });
  }

  /** Names of this home's containers, running or not, by the engine's own word. */
  async containers(): Promise<readonly string[]> {
    const text = await this.must(this.host.cli, [
      'ps',
      '-a',
      '--filter',
      `label=kraft.home=${this.kraftHome}`,
      '--format',
      '{{.Names}}',
    ]);
    return text === '' ? [] : text.split('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tryKraft('admin', 'stop', '--pause');
    for (const name of await this.containers()) await this.run(this.host.cli, ['rm', '-f', name]);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function chownTree(path: string, host: EngineHost): Promise<void> {
  return new Promise((done, failed) => {
    execFile('chown', ['-R', `${host.uid}:${host.gid}`, path], (error) =>
      error === null ? done() : failed(new Error(error.message)),
    );
  });
}
