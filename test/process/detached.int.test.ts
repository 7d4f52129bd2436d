import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showInPager, startDetached } from '../../src/process/index.ts';

let dir = '';
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'kp-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const start = (script: string, umask = 0o027) =>
  startDetached({
    file: '/bin/sh',
    args: ['-c', script],
    env: { PATH: '/usr/bin:/bin', ONLY: 'this' },
    cwd: dir,
    logPath: join(dir, 'log'),
    umask,
  });

describe('startDetached', () => {
  it('starts it under the umask that it was given and keeps its own', async () => {
    const before = process.umask(0o077);
    process.umask(before);
    const { exited } = await start('umask; echo "$ONLY $HOME"; echo problem >&2');
    expect(await exited).toBe(0);
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('0027\nthis \nproblem\n');
    expect(process.umask(before)).toBe(before);
    expect(statSync(join(dir, 'log')).mode & 0o777).toBe(0o600);
  });

  it('puts it into a process session of its own', async () => {
    const { pid, exited } = await start('cut -d " " -f 6 /proc/$$/stat');
    await exited;
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe(`${pid}\n`);
  });

  it('appends to the log and says where its output begins', async () => {
    writeFileSync(join(dir, 'log'), 'earlier\n');
    const { logOffset, exited } = await start('echo later; exit 3');
    expect(await exited).toBe(3);
    expect(readFileSync(join(dir, 'log'), 'utf8').slice(logOffset)).toBe('later\n');
  });

  it('says when it cannot be started', async () => {
    const starting = startDetached({
      file: '/nonexistent/program',
      args: [],
      env: {},
      cwd: dir,
      logPath: join(dir, 'log'),
      umask: 0o022,
    });
    await expect(starting).rejects.toMatchObject({ code: 'KRAFT_CLIENT_NOT_STARTED' });
  });
});

describe('showInPager', () => {
  const env = { PATH: '/usr/bin:/bin' };

  it('gives the text to the command line of the pager and waits for it', async () => {
    const command = `cat > ${join(dir, 'shown')}`;
    expect(await showInPager({ text: 'a\nb\n', command, env })).toBe(true);
    expect(readFileSync(join(dir, 'shown'), 'utf8')).toBe('a\nb\n');
  });

  it('does not mind a pager that is closed before the end', async () => {
    expect(await showInPager({ text: 'x'.repeat(1_000_000), command: 'head -c 1 > /dev/null', env })).toBe(true);
  });

  it('says that there is no such pager', async () => {
    expect(await showInPager({ text: 'a', command: 'exec no-such-pager 2> /dev/null', env })).toBe(false);
  });
});
