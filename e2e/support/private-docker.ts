import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineHost } from './hosts.ts';

const image = 'localhost/kraft-worker:latest';
const sbin = '/usr/sbin:/sbin';

/** Where a private engine can be started: for root, with the program there. */
export function findDockerd(): string | null {
  if (process.getuid?.() !== 0) return null;
  const places = `${process.env['PATH'] ?? ''}:${sbin}`.split(':').map((folder) => join(folder, 'dockerd'));
  return places.find((file) => existsSync(file)) ?? null;
}

/**
 * A Docker engine of the test's own, which may be killed, restarted and emptied: own data, own socket, no network of its
 * own, so that it touches nothing of another engine's.
 */
export class PrivateDocker implements AsyncDisposable {
  readonly #dockerd: string;
  readonly #source: EngineHost;
  readonly #dir = mkdtempSync(join(tmpdir(), 'kd-'));
  #child: ChildProcess | null = null;

  /** `source` has the worker image. */
  constructor(dockerd: string, source: EngineHost) {
    this.#dockerd = dockerd;
    this.#source = source;
    chmodSync(this.#dir, 0o755);
  }

  get #socket(): string {
    return join(this.#dir, 'docker.sock');
  }

  /** The same person, with this engine. */
  get host(): EngineHost {
    return { ...this.#source, env: { ...this.#source.env, DOCKER_HOST: `unix://${this.#socket}` } };
  }

  async start(): Promise<void> {
    for (const left of ['docker.pid', 'docker.sock', 'exec/containerd/containerd.pid'])
      rmSync(join(this.#dir, left), { force: true });
    mkdirSync(join(this.#dir, 'data'), { recursive: true });
    writeFileSync(join(this.#dir, 'dockerd.json'), '{}\n');
    const places = { host: `unix://${this.#socket}`, 'data-root': 'data', 'exec-root': 'exec', pidfile: 'docker.pid' };
    const named = Object.entries(places).map(
      ([name, at]) => `--${name}=${at.includes(':') ? at : join(this.#dir, at)}`,
    );
    const log = openSync(join(this.#dir, 'dockerd.log'), 'a');
    this.#child = spawn(
      this.#dockerd,
      [
        ...named,
        `--config-file=${join(this.#dir, 'dockerd.json')}`,
        '--bridge=none',
        '--iptables=false',
        '--ip6tables=false',
      ],
      {
        stdio: ['ignore', log, log],
        cwd: this.#dir,
        env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:${sbin}` },
      },
    );
    closeSync(log);
    const deadline = AbortSignal.timeout(60_000);
    while (!(await this.#answers())) {
      if (deadline.aborted || this.#child.exitCode !== null)
        throw new Error(
          `dockerd did not start:\n${readFileSync(join(this.#dir, 'dockerd.log'), 'utf8').slice(-2_000)}`,
        );
      await once(AbortSignal.timeout(100), 'abort');
    }
    chmodSync(this.#socket, 0o666);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Everything that it knew is gone: containers, images. Preconditions: it is stopped. */
  empty(): void {
    this.#unmount();
    rmSync(join(this.#dir, 'data'), { recursive: true, force: true });
  }

  /** An engine that was killed leaves its mounts. */
  #unmount(): void {
    const points = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(`${this.#dir}/`));
    for (const point of points.toReversed()) execFileSync('umount', ['--lazy', point]);
  }

  /** Takes the worker image over from the other engine. */
  async loadImage(): Promise<void> {
    const archive = join(this.#dir, 'image.tar');
    await docker(this.#source.env, ['save', '-o', archive, image]);
    await docker(this.host.env, ['load', '-i', archive]);
    rmSync(archive);
  }

  async docker(...args: readonly string[]): Promise<string> {
    return docker(this.host.env, args);
  }

  async #answers(): Promise<boolean> {
    return docker(this.host.env, ['version']).then(
      () => true,
      () => false,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = this.#child === null ? '' : await this.docker('ps', '-aq').catch(() => '');
    if (left !== '') await this.docker('rm', '-f', ...left.split('\n')).catch(() => '');
    await this.stop('SIGTERM');
    this.#unmount();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function docker(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<string> {
  return new Promise((done, failed) => {
    execFile('docker', [...args], { env: { ...env }, timeout: 300_000 }, (error, stdout, stderr) => {
      if (error === null) done(stdout.trim());
      else failed(new Error(`docker ${args.join(' ')}: ${error.message}\n${stderr}`));
    });
  });
}
