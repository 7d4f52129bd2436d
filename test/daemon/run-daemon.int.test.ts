import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDaemonClient } from '../../src/daemon-client/index.ts';
import { until } from '../support/run-cli.ts';

const script = resolve(import.meta.dirname, '../support/fake-daemon.ts');
let home = '';
const children: ChildProcess[] = [];

beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'kd-'))));
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

function start(sessions = 0): { readonly child: ChildProcess; readonly stderr: () => string } {
  const child = spawn(process.execPath, [script, home, String(sessions)], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  let text = '';
  child.stderr.on('data', (chunk) => (text += String(chunk)));
  return { child, stderr: () => text };
}

const client = () => openDaemonClient({ socketPath: join(home, 'run', 'kraft.sock'), version: '1' });
const pidOf = async (): Promise<number | null> => (await client().findHealth())?.pid ?? null;
const serves = (child: ChildProcess): Promise<void> => until(async () => (await pidOf()) === child.pid, 'it serves');
const ends = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null ? Promise.resolve(child.exitCode) : new Promise((done) => child.once('exit', done));

describe('runDaemon', () => {
  it('lets one daemon serve a home: the second says who does, and the first is not disturbed', async () => {
    const first = start();
    await serves(first.child);
    const second = start();
    expect(await ends(second.child)).not.toBe(0);
    expect(second.stderr()).toContain('KRAFT_DAEMON_RUNNING');
    expect(second.stderr()).toContain(`pid ${String(first.child.pid)}`);
    expect(await pidOf()).toBe(first.child.pid);
  });

  it('starts again after SIGKILL: the kernel freed the lock, and the stale socket is replaced', async () => {
    const killed = start();
    await serves(killed.child);
    killed.child.kill('SIGKILL');
    await ends(killed.child);
    expect(existsSync(join(home, 'run', 'kraft.sock'))).toBe(true);
    expect(await pidOf()).toBeNull();
    const next = start();
    await serves(next.child);
    expect(readFileSync(join(home, 'run', 'kraft.pid'), 'utf8')).toBe(`${String(next.child.pid)}\n`);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    'ends on %s, says how many sessions go on, and leaves neither socket nor pid',
    async (signal) => {
      const { child, stderr } = start(2);
      await serves(child);
      child.kill(signal);
      expect(await ends(child)).toBe(0);
      expect(stderr()).toMatch(new RegExp(`ending \\(${signal}\\); 2 running sessions go on`));
      expect(existsSync(join(home, 'run', 'kraft.sock'))).toBe(false);
      expect(existsSync(join(home, 'run', 'kraft.pid'))).toBe(false);
    },
  );

  it('ends when a client asks it to, after its answer', async () => {
    const { child } = start(1);
    await serves(child);
    expect(await client().send('stop')).toEqual({ pid: child.pid, paused: 0, leftRunning: 1 });
    expect(await ends(child)).toBe(0);
  });

  it('keeps its files to their owner', async () => {
    const { child } = start();
    await serves(child);
    const modes = ['', 'run', 'run/logs', 'run/kraft.sock', 'run/kraft.lock', 'run/kraft.pid'].map((name) =>
      (statSync(join(home, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '700', '700', '600', '600', '600']);
  });
});
