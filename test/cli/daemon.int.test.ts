import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync, mkdirSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliUser, until } from '../support/run-cli.ts';

// Everything here runs the real daemon with its real database, on a machine whose PATH holds no container engine.
let user: CliUser;
beforeEach(() => {
  user = new CliUser({ PATH: '/nonexistent' });
});
afterEach(() => user[Symbol.asyncDispose]());

/** What the sockets of a process are: `unix`, `tcp`, `udp` …, from the tables of its network namespace. */
function socketKinds(pid: number): readonly string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const match = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`));
      return match?.[1] === undefined ? [] : [match[1]];
    } catch {
      return [];
    }
  });
  const tables = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6', 'unix', 'netlink'];
  return inodes.flatMap((inode) =>
    tables.filter((table) => {
      const path = `/proc/${pid}/net/${table}`;
      return existsSync(path) && readFileSync(path, 'utf8').split(/\s+/).includes(inode);
    }),
  );
}

describe('kraft admin start --detach', () => {
  it('comes back when the daemon has answered, and the daemon goes on alone in a session of its own', async () => {
    const out = await user.must(['admin', 'start', '--detach']);
    const pid = user.daemonPid() ?? 0;
    expect(out).toBe(`The daemon runs (pid ${pid}); its log is ${user.run}/logs/server.log.\n`);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect(Number(session)).toBe(pid);
    expect(statSync(join(user.run, 'logs/server.log')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await user.must(['admin', 'health', '--json']))).toMatchObject({
      status: 'ok',
      pid,
      home: user.home,
    });
  });

  it('refuses a second daemon and names the first', async () => {
    await user.must(['admin', 'start', '--detach']);
    for (const args of [['admin', 'start', '--detach'], ['admin', 'start'], []]) {
      const end = await user.kraft(args);
      expect(end.exitCode).toBe(1);
      expect(end.stderr).toContain(`(pid ${String(user.daemonPid())})`);
      expect(end.stderr).toContain('KRAFT_DAEMON_RUNNING');
    }
  });

  it('shows the last log lines when the daemon dies while it starts (PF-D06)', async () => {
    mkdirSync(user.run, { recursive: true, mode: 0o700 });
    mkdirSync(join(user.run, 'orchestrator.db'));
    const end = await user.kraft(['admin', 'start', '--detach']);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain('KRAFT_DAEMON_DIED');
    expect(end.stderr).toMatch(/KRAFT_STORE_\w+/);
  });

  it('starts again over what a killed daemon left', async () => {
    await user.must(['admin', 'start', '--detach']);
    const killed = user.daemonPid() ?? 0;
    process.kill(killed, 'SIGKILL');
    await until(
      () => !existsSync(`/proc/${killed}`) || / Z /.test(readFileSync(`/proc/${killed}/stat`, 'utf8')),
      'it is gone',
    );
    expect((await user.kraft(['admin', 'health'])).stderr).toContain('KRAFT_DAEMON_NOT_RUNNING');
    await user.must(['admin', 'start', '--detach']);
    expect(user.daemonPid()).not.toBe(killed);
    expect(await user.must(['view', 'list'])).toContain('No items.');
  });

  it('refuses a home that others can write to before anything is started', async () => {
    mkdirSync(user.home);
    const { chmodSync } = await import('node:fs');
    chmodSync(user.home, 0o777);
    const end = await user.kraft(['admin', 'start', '--detach']);
    expect(end.stderr).toContain('KRAFT_HOME_UNSAFE');
    expect(readdirSync(user.home)).toEqual([]);
  });
});

describe('an idle daemon', () => {
  it('dials nothing and listens on nothing but its unix socket', async () => {
    await user.must(['admin', 'start', '--detach']);
    await user.must(['view', 'list', '--all']);
    const kinds = socketKinds(user.daemonPid() ?? 0);
    expect(kinds.length).toBeGreaterThan(0);
    expect(new Set(kinds)).toEqual(new Set(['unix']));
  });

  it('is degraded while a file of its configuration does not load, and says which', async () => {
    mkdirSync(join(user.home, 'config'), { recursive: true, mode: 0o700 });
    writeFileSync(join(user.home, 'config/policy.yaml'), 'max_concurent: 3\n');
    await user.must(['admin', 'start', '--detach']);
    const end = await user.kraft(['admin', 'health']);
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toMatch(/reason +policy\.yaml:1/);
  });
});

describe('kraft admin stop', () => {
  it('stops the daemon, and finds nothing to do the second time', async () => {
    await user.must(['admin', 'start', '--detach']);
    const pid = user.daemonPid() ?? 0;
    expect(await user.must(['admin', 'stop'])).toBe('Stopped. No session runs.\n');
    expect(existsSync(`/proc/${pid}/fd/0`)).toBe(false);
    expect(await user.must(['admin', 'stop'])).toBe('No daemon runs.\n');
  });

  it('pauses what runs first when asked to', async () => {
    await user.must(['admin', 'start', '--detach']);
    expect(await user.must(['admin', 'stop', '--pause'])).toBe('Stopped. No session runs.\n');
  });
});

describe('doctor without a daemon', () => {
  it('runs in the command itself and says whose environment it looked at', async () => {
    const end = await user.kraft(['admin', 'doctor', '--json']);
    expect(end.stderr).toContain('checking with the environment of this shell');
    const report = JSON.parse(end.stdout) as { ok: boolean; rows: { name: string; outcome: string }[] };
    expect(report.rows.find((row) => row.name === 'daemon')?.outcome).toBe('warn');
    expect(report.rows.find((row) => row.name === 'engine')?.outcome).toBe('fail');
    expect(end.exitCode).toBe(1);
  });
});
