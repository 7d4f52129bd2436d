import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasCode } from '../../src/base/index.ts';
import { isAlive, signalGroup, startClient, type ClientRequest, type StartedClient } from '../../src/process/index.ts';

let dir = '';
const started: StartedClient[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kraft-client-'));
});
afterEach(async () => {
  for (const client of started.splice(0)) signalGroup(client, 'SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

function request(script: string, overrides: Partial<ClientRequest> = {}): ClientRequest {
  return {
    file: '/bin/sh',
    args: ['-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: dir,
    logPath: join(dir, 'log'),
    exitPath: join(dir, 'exit'),
    ...overrides,
  };
}

async function start(script: string, overrides: Partial<ClientRequest> = {}): Promise<StartedClient> {
  const client = await startClient(request(script, overrides));
  started.push(client);
  return client;
}

/** Polls until the condition holds; the deadline fails the test. */
async function until(what: string, condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 15_000; !condition();) {
    if (Date.now() > end) throw new TypeError(`gave up waiting until ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}

const log = (): string => readFileSync(join(dir, 'log'), 'utf8');
const waitForGo = 'while [ ! -e go ]; do sleep 0.05; done';

describe('a client', () => {
  it('writes its output straight into the log and its exit code beside it', async () => {
    const client = await start('echo out; echo err >&2; exit 7');
    await client.ended;
    expect(log()).toBe('out\nerr\n');
    expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('7\n');
  });

  it('keeps its log to the person alone', async () => {
    await (
      await start('true')
    ).ended;
    expect(statSync(join(dir, 'log')).mode & 0o777).toBe(0o600);
  });

  it('appends to a log that is there', async () => {
    await writeFile(join(dir, 'log'), 'before\n');
    await (
      await start('echo after')
    ).ended;
    expect(log()).toBe('before\nafter\n');
  });

  it('gets its environment and nothing else', async () => {
    await (
      await start('env | cut -d= -f1 | sort | tr "\\n" " "', { env: { PATH: '/usr/bin:/bin', ONLY: 'this' } })
    ).ended;
    expect(log().split(' ')).toContain('ONLY');
    expect(log()).not.toMatch(/HOME|USER|NODE|VITEST/);
  });

  it('sees arguments as they are, whatever they hold', async () => {
    const odd = ['$(id)', '"; id', "'", 'a b', ''];
    await (
      await start('', { file: '/usr/bin/printf', args: ['%s|', ...odd] })
    ).ended;
    expect(log()).toBe(`${odd.join('|')}|`);
  });

  it('writes the code of a program that cannot be run', async () => {
    await (
      await start('', { file: join(dir, 'absent'), args: [] })
    ).ended;
    expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('127\n');
    expect(log()).toContain('not found');
  });

  it('writes 128 and the signal for a program that died of one', async () => {
    await (
      await start('kill -KILL $$')
    ).ended;
    expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('137\n');
    expect(log()).toBe('');
  });

  it('is refused with CLIENT_NOT_STARTED where its directory is missing', async () => {
    const error: unknown = await startClient(request('true', { cwd: join(dir, 'gone') })).catch((e: unknown) => e);
    expect(hasCode(error, 'CLIENT_NOT_STARTED')).toBe(true);
    expect(existsSync(join(dir, 'exit'))).toBe(false);
  });
});

describe('a client whose starter dies', () => {
  it('goes on, and neither output nor exit code is lost', async () => {
    const library = pathToFileURL(resolve(import.meta.dirname, '../../src/process/index.ts')).href;
    const script = `echo before; ${waitForGo}; echo after; echo err >&2; exit 5`;
    const program = `
      const { startClient } = await import(${JSON.stringify(library)});
      const client = await startClient(${JSON.stringify(request(script))});
      process.stdout.write(JSON.stringify({ pid: client.pid, bootId: client.bootId, startTicks: client.startTicks }) + '\\n');
      setInterval(() => undefined, 1000);`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const told = await new Promise<string>((found) => {
      let text = '';
      starter.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('\n')) found(text);
      });
    });
    const identity = JSON.parse(told) as StartedClient;
    started.push(identity);
    const died = new Promise((gone) => starter.once('exit', (_code, signal) => gone(signal)));
    starter.kill('SIGKILL');
    expect(await died).toBe('SIGKILL');
    expect(isAlive(identity)).toBe(true);

    await writeFile(join(dir, 'go'), '');
    await until('the exit code is written', () => existsSync(join(dir, 'exit')));
    expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('5\n');
    expect(log()).toBe('before\nafter\nerr\n');
    await until('the client is gone', () => !isAlive(identity));
  });
});

describe('a signal to the group of a client', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'reaches the program, and the exit code is still written: %s',
    async (signal) => {
      const name = signal.slice(3);
      const client = await start(
        `trap 'echo caught; exit 9' ${name}; echo ready; while :; do sleep 0.05; done 2>/dev/null`,
      );
      await until('the program is ready', () => log().includes('ready'));
      expect(signalGroup(client, signal)).toBe(true);
      await client.ended;
      expect(log()).toBe('ready\ncaught\n');
      expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('9\n');
    },
  );

  it('ends a program that does not catch it', async () => {
    const client = await start('echo ready; exec sleep 60');
    await until('the program is ready', () => log().includes('ready'));
    signalGroup(client, 'SIGINT');
    await client.ended;
    expect(await readFile(join(dir, 'exit'), 'utf8')).toBe('130\n');
  });

  it('is not sent once the client is gone, for the pid may be another process by then', async () => {
    const client = await start('true');
    await client.ended;
    await until('the client is gone', () => !isAlive(client));
    expect(signalGroup(client, 'SIGTERM')).toBe(false);
  });

  it('is not sent to a process that has the pid and another start time', async () => {
    const client = await start(waitForGo);
    const stranger = { ...client, startTicks: String(Number(client.startTicks) - 1) };
    const otherBoot = { ...client, bootId: '00000000-0000-0000-0000-000000000000' };
    expect([signalGroup(stranger, 'SIGKILL'), signalGroup(otherBoot, 'SIGKILL')]).toEqual([false, false]);
    expect(isAlive(client)).toBe(true);
  });
});
