import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const entry = resolve(import.meta.dirname, '../../src/cli/main.ts');
// Compiling the sources is most of what a command takes.
const cacheDir = process.env['NODE_COMPILE_CACHE'];
const compileCache: Readonly<Record<string, string>> = cacheDir === undefined ? {} : { NODE_COMPILE_CACHE: cacheDir };

export interface CliEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes for standard input; none is given otherwise. */
  readonly input?: string;
}

/** A person with a home of their own, who types `kraft` commands: nothing else of this process's environment leaks in. */
export class CliUser implements AsyncDisposable {
  readonly dir: string;
  readonly home: string;
  readonly run: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #started: ChildProcess[] = [];

  constructor(env: Readonly<Record<string, string>> = {}) {
    // Short, so that sockets fit.
    this.dir = realpathSync(mkdtempSync(join(tmpdir(), 'kc-')));
    this.home = join(this.dir, 'kraft');
    this.run = join(this.home, 'run');
    mkdirSync(join(this.dir, 'home'));
    this.#env = {
      HOME: join(this.dir, 'home'),
      KRAFT_HOME: this.home,
      PATH: '/usr/bin:/bin',
      TZ: 'UTC',
      ...compileCache,
      ...env,
    };
  }

  /** Starts a command that goes on; its output is the caller's. Ended with the user. */
  start(args: readonly string[], options: CliOptions = {}): ChildProcess {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: options.cwd ?? this.dir,
      env: { ...this.#env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined);
    this.#started.push(child);
    return child;
  }

  /** Runs a command to its end. */
  async kraft(args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
    const child = this.start(args, options);
    child.stdin?.end(options.input ?? '');
    const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
      let text = '';
      for await (const chunk of stream ?? []) text += String(chunk);
      return text;
    });
    const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
      child.once('close', (code, by) => done([code, by])),
    );
    return { exitCode, signal, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' };
  }

  /** Runs a command that must succeed; gives what it printed. */
  async must(args: readonly string[], options: CliOptions = {}): Promise<string> {
    const end = await this.kraft(args, options);
    if (end.exitCode === 0) return end.stdout;
    throw new Error(`kraft ${args.join(' ')} exited ${String(end.exitCode)}:\n${end.stdout}\n${end.stderr}`);
  }

  /** Pid of the daemon of this home, as it wrote it; null when there is none. */
  daemonPid(): number | null {
    try {
      return Number(readFileSync(join(this.run, 'kraft.pid'), 'utf8'));
    } catch {
      return null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started) if (child.exitCode === null) child.kill('SIGKILL');
    if (this.daemonPid() !== null) await this.kraft(['admin', 'stop']);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Waits until a condition holds; fails when it does not in time. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
