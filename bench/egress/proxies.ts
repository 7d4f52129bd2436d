// The proxies that are compared, each a process of its own with the settings that it comes with.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import type { Target } from './load.ts';

export interface RunningProxy extends Target {
  readonly name: ProxyName;
  readonly pid: number;
  stop(): Promise<void>;
}

export type ProxyName = 'kraft' | 'squid' | 'tinyproxy' | 'pipes';

/** One that says its port on its first line. */
export async function startNode(file: string, args: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number(line.toString()) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function findProgram(name: string): string | null {
  for (const dir of [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/bin']) {
    try {
      accessSync(join(dir, name), constants.X_OK);
      return join(dir, name);
    } catch {
      // Not there.
    }
  }
  return null;
}

/** The daemon itself, which a wrapper may have started. */
async function startForeign(
  name: 'squid' | 'tinyproxy',
  args: readonly string[],
  port: number,
): Promise<ChildProcess | null> {
  const program = findProgram(name);
  if (program === null) return null;
  const child = spawn(program, args, { stdio: 'ignore' });
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const socket = connect({ host: '127.0.0.1', port });
    const works = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (works) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop(child);
  throw new Error(`${name} does not start: ${program} ${args.join(' ')}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export interface Place {
  readonly dir: string;
  /** The built package. */
  readonly dist: string;
  readonly originPort: number;
}

/** Starts one; null for one that is not installed. */
export async function startProxy(name: ProxyName, { dir, dist, originPort }: Place): Promise<RunningProxy | null> {
  const direct = `127.0.0.1:${originPort}`;
  const running = (child: ChildProcess, port: number, authority: string): RunningProxy => {
    return { name, port, authority, pid: child.pid ?? 0, stop: () => stop(child) };
  };
  if (name === 'kraft') {
    const { child, port } = await startNode('kraft-proxy.mjs', [
      String(originPort),
      dist,
      join(dir, 'decisions.jsonl'),
    ]);
    return running(child, port, `origin.example:${originPort}`);
  }
  if (name === 'pipes') {
    const { child, port } = await startNode('pipes-proxy.mjs', [String(originPort)]);
    return running(child, port, direct);
  }
  const port = await freePort();
  const config = join(dir, `${name}.conf`);
  writeFileSync(config, name === 'squid' ? renderSquid(port, dir) : renderTinyproxy(port));
  const child = await startForeign(name, name === 'squid' ? ['-N', '-f', config] : ['-d', '-c', config], port);
  return child === null ? null : running(child, port, direct);
}

function renderSquid(port: number, dir: string): string {
  // It gives up root, and then has to write here.
  chmodSync(dir, 0o777);
  return [
    `http_port 127.0.0.1:${port}`,
    'acl CONNECT method CONNECT',
    'http_access allow all',
    'cache deny all',
    'access_log none',
    `cache_log ${join(dir, 'squid.log')}`,
    `pid_filename ${join(dir, 'squid.pid')}`,
    `coredump_dir ${dir}`,
    'netdb_filename none',
    'shutdown_lifetime 0 seconds',
    '',
  ].join('\n');
}

function renderTinyproxy(port: number): string {
  return [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 600', 'LogLevel Critical', 'MaxClients 1024', ''].join('\n');
}

/** Resident memory, KiB, and the processor time used, seconds. */
export function readUse({ pid }: { readonly pid: number }): {
  readonly residentKib: number;
  readonly cpuSeconds: number;
} {
  const [, resident = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return { residentKib: Number(resident), cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100 };
}
