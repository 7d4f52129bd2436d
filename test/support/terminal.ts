import { spawn, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { until, type CliUser } from './run-cli.ts';

const entry = resolve(import.meta.dirname, '../../src/cli/main.ts');

/** A pseudo-terminal with `kraft` on it, as `script` makes one; what it shows is kept. */
export class KraftTerminal implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  text = '';

  constructor(
    user: CliUser,
    args: readonly string[],
    options: { readonly rows: number; readonly columns: number; readonly env?: Readonly<Record<string, string>> },
  ) {
    const words = [process.execPath, entry, ...args].map((word) => `'${word}'`).join(' ');
    const command = `stty rows ${options.rows} cols ${options.columns}; exec ${words}`;
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      cwd: user.dir,
      env: {
        HOME: user.dir,
        KRAFT_HOME: user.home,
        PATH: '/usr/bin:/bin',
        SHELL: '/bin/sh',
        TERM: 'xterm-256color',
        TZ: 'UTC',
        ...options.env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk) => (this.text += String(chunk)));
    this.#ended = new Promise((done) => this.#child.once('close', (code) => done(code)));
  }

  shows(text: string): Promise<void> {
    return until(() => this.text.includes(text), `the terminal shows ${text}; it shows ${JSON.stringify(this.text)}`);
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** The exit code of the command. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
