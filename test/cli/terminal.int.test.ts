import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { startServer, type RunningServer } from '../../src/daemon/index.ts';
import { FakeKraft, sampleEvent, samplePublicItem } from '../support/fake-kraft.ts';
import { CliUser } from '../support/run-cli.ts';
import { KraftTerminal } from '../support/terminal.ts';

const size = { rows: 12, columns: 90 };
let user: CliUser;
let kraft: FakeKraft;
let server: RunningServer;

beforeEach(async () => {
  user = new CliUser();
  kraft = new FakeKraft();
  mkdirSync(user.run, { recursive: true, mode: 0o700 });
  server = await serve();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await user[Symbol.asyncDispose]();
});

function serve(): Promise<RunningServer> {
  const socketPath = join(user.run, 'kraft.sock');
  return startServer({ kraft, socketPath, stop: () => undefined, log: silentLog });
}

/** Something happens to the item of the fake. */
function happens(seq: number, title: string): void {
  kraft.items = [samplePublicItem({ title, status: 'active', started: true })];
  kraft.rows = [...kraft.rows, sampleEvent(seq)];
  kraft.news.emit('rows');
}

const restored = '\u001b[?7h\u001b[?25h\u001b[?1049l';

describe('kraft view watch on a terminal', () => {
  it('shows the board, draws it anew when something happens, and gives the terminal back on ctrl-c', async () => {
    await using terminal = new KraftTerminal(user, ['view', 'watch'], size);
    await terminal.shows('Mend the basket');
    expect(terminal.text).toContain('\u001b[?1049h\u001b[?25l');
    happens(1, 'Mend the hinge');
    await terminal.shows('Mend the hinge');
    await terminal.shows('running');
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toContain(restored);
    expect(kraft.calls.filter(([name]) => name === 'board')).toHaveLength(2);
    expect(kraft.calls.filter(([name]) => name === 'pauseItem')).toEqual([]);
  });

  it('waits for a daemon that is started again, and ends with q', async () => {
    await using terminal = new KraftTerminal(user, ['view', 'watch', '--all'], {
      ...size,
      env: { NO_COLOR: '1' },
    });
    await terminal.shows('Mend the basket');
    await server[Symbol.asyncDispose]();
    await terminal.shows('The daemon does not answer');
    server = await serve();
    happens(1, 'Mend the hinge');
    await terminal.shows('Mend the hinge');
    expect(terminal.text).not.toMatch(/\u001b\[\d+m/);
    terminal.type('q');
    expect(await terminal.ended()).toBe(0);
  });

  it('says at once that no daemon runs, and takes no terminal', async () => {
    await server[Symbol.asyncDispose]();
    await using terminal = new KraftTerminal(user, ['view', 'watch', '--all'], size);
    expect(await terminal.ended()).toBe(1);
    expect(terminal.text).toContain('KRAFT_DAEMON_NOT_RUNNING');
    expect(terminal.text).not.toContain('\u001b[?1049h');
  });
});

describe('kraft view diff on a terminal', () => {
  beforeEach(() => {
    kraft.diffAnswer = {
      text: '@@ -1 +1 @@\n-old\n+new \u001b]0;title\u0007\n',
      truncated: true,
      command: 'git -C /srv/repo diff abc kraft/x',
      untracked: [],
      untrackedCount: 0,
      untrackedProblem: null,
    };
  });

  it('goes through the pager in colour, which can start nothing, with what is said of the diff as the last line', async () => {
    const pager = 'echo "[secure=$LESSSECURE]"; cat; echo "[end]"';
    await using terminal = new KraftTerminal(user, ['view', 'diff', 'abcd'], {
      ...size,
      env: { KRAFT_PAGER: pager, PAGER: 'false' },
    });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toContain('[secure=1]');
    expect(terminal.text).toContain('\u001b[32m+new \\x1b]0;title\\x07\u001b[39m');
    expect(terminal.text).toMatch(/All of it: git -C \/srv\/repo diff abc kraft\/x[^\n]*\n\[end\]/);
  });

  it.each([
    { args: ['--no-pager'], env: { KRAFT_PAGER: 'echo paged' }, colour: true },
    { args: [], env: { PAGER: '', NO_COLOR: '1' }, colour: false },
    { args: [], env: { PAGER: '/no/such/pager' }, colour: true },
  ])('is printed at once with $args and $env', async ({ args, env, colour }) => {
    await using terminal = new KraftTerminal(user, ['view', 'diff', 'abcd', ...args], { ...size, env });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toContain('+new');
    expect(terminal.text).not.toContain('paged');
    expect(terminal.text.includes('\u001b[32m')).toBe(colour);
  });
});
