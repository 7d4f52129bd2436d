import { createServer, type Server } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { startServer, type RunningServer } from '../../src/daemon/index.ts';
import { FakeKraft, sampleEvent, samplePublicItem } from '../support/fake-kraft.ts';
import { CliUser, until } from '../support/run-cli.ts';

const root = resolve(import.meta.dirname, '../..');
let user: CliUser;
let kraft: FakeKraft;
let server: RunningServer | null = null;

beforeEach(() => {
  user = new CliUser();
  kraft = new FakeKraft();
});
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
  await user[Symbol.asyncDispose]();
});

async function serve(): Promise<void> {
  mkdirSync(user.run, { recursive: true, mode: 0o700 });
  server = await startServer({
    kraft,
    socketPath: join(user.run, 'kraft.sock'),
    stop: () => undefined,
    log: silentLog,
  });
}
const called = (name: string): unknown[] =>
  kraft.calls.filter(([each]) => each === name).map(([, argument]) => argument);

describe('kraft', () => {
  it('prints the version of the package (PF-D07)', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(await user.must(['--version'])).toBe(`${version}\n`);
  });

  it('ends with 2 and the nearest command when it does not know the verb', async () => {
    const end = await user.kraft(['item', 'creat', 'x']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toContain('Did you mean `kraft item create`?');
  });

  it('ends with 1 and the command that starts a daemon when none runs', async () => {
    const end = await user.kraft(['view', 'list']);
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain('kraft admin start --detach');
    expect(end.stderr).toContain('KRAFT_DAEMON_NOT_RUNNING');
  });

  it('gives programs the error as the payload', async () => {
    const end = await user.kraft(['view', 'list', '--json']);
    expect(end).toMatchObject({ exitCode: 1, stderr: '' });
    expect(JSON.parse(end.stdout)).toMatchObject({ outcome: 'error', code: 'KRAFT_DAEMON_NOT_RUNNING', others: [] });
  });

  it('is quiet when its reader goes away', async () => {
    const child = user.start(['--help']);
    child.stdout?.destroy();
    let stderr = '';
    child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
    const code = await new Promise((done) => child.once('close', done));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('colours only where it is asked to', async () => {
    await serve();
    const forced = await user.must(['view', 'list'], { env: { FORCE_COLOR: '1' } });
    expect(forced).toMatch(/\u001b\[/);
    expect(await user.must(['view', 'list'])).not.toMatch(/\u001b/);
    expect(await user.must(['view', 'list'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).not.toMatch(/\u001b/);
  });

  it('explains every error that it can print', async () => {
    expect(await user.must(['admin', 'explain', 'daemon_not_running'])).toContain('kraft admin start --detach');
    const listed = JSON.parse(await user.must(['admin', 'explain', 'KRAFT_CODE_UNKNOWN', '--json'])) as unknown;
    expect(listed).toMatchObject({ code: 'KRAFT_CODE_UNKNOWN', kind: 'usage' });
    const end = await user.kraft(['admin', 'explain', 'KRAFT_DAEMON_NOT_RUNING']);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain('Did you mean KRAFT_DAEMON_NOT_RUNNING?');
  });

  it('offers a completion script that bash can read', async () => {
    const script = join(user.dir, 'completion.bash');
    writeFileSync(script, await user.must(['admin', 'completion', 'bash']));
    const { execFileSync } = await import('node:child_process');
    const lines = `. ${script}; COMP_WORDS=(kraft view l); COMP_CWORD=2; _kraft; echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', lines], { encoding: 'utf8' })).toBe('list logs\n');
    expect((await user.kraft(['admin', 'completion', 'tcsh'])).exitCode).toBe(2);
  });
});

describe('verbs on items', () => {
  beforeEach(serve);

  it('files an item on the repository of the working directory', async () => {
    const out = await user.must([
      'item',
      'create',
      'Mend it',
      '-d',
      'all of it',
      '--base-branch',
      'dev',
      '--autostart',
    ]);
    expect(out).toContain('Filed new22222; the item is now filed.');
    expect(called('createItem')).toEqual([
      {
        title: 'Mend it',
        description: 'all of it',
        repo: user.dir,
        chain: null,
        harness: null,
        baseBranch: 'dev',
        autostart: true,
      },
    ]);
  });

  it.each([
    { verb: 'start', asked: 'abcd' },
    { verb: 'pause', asked: 'abcd' },
    { verb: 'resume', asked: { id: 'abcd', steer: null } },
    { verb: 'retry', asked: { id: 'abcd', steer: null, path: null, restart: false } },
  ])('$verb says where the item then is, or gives the payload', async ({ verb, asked }) => {
    expect(await user.must(['item', verb, 'abcd'])).toMatch(/abcd2345; the item is now \w+\./);
    expect(JSON.parse(await user.must(['item', verb, 'abcd', '--json']))).toMatchObject({ item: { id: 'abcd2345' } });
    expect(called(`${verb}Item`)).toEqual([asked, asked]);
  });

  it('answers gates with approve, reject and review, and refuses what says too little', async () => {
    expect(await user.must(['item', 'approve', 'abcd', '--gate', 'local_review'])).toContain('Approved abcd2345');
    expect(await user.must(['item', 'reject', 'abcd', '--note', 'Again.'])).toContain('Sent back abcd2345');
    expect(called('approveGate')).toContainEqual({ gate: 'local_review', note: null });
    expect(called('rejectGate')).toContainEqual({ gate: null, note: 'Again.', node: null });

    const out = await user.must(['item', 'review', 'abcd', '--outcome', 'comment']);
    expect(out).toMatch(/Submitted 1 thread on abcd2345;.*\nNo agent answers them: .*no network/s);
    const json = await user.must(['item', 'review', 'abcd', '--outcome', 'request-changes', '-b', 'Again.', '--json']);
    expect(JSON.parse(json)).toMatchObject({ reply_agent: false, event: { payload: { reason: 'no_route' } } });
    expect(called('reviewItem')).toEqual([
      { itemId: 'abcd', gate: null, outcome: 'comment', body: null },
      { itemId: 'abcd', gate: null, outcome: 'request_changes', body: 'Again.' },
    ]);

    for (const args of [
      ['reject', 'abcd'],
      ['review', 'abcd', '--outcome', 'request-changes'],
      ['review', 'abcd', '--outcome', 'maybe'],
      ['comment', 'abcd', 'src/a.ts', '--body', 'x'],
    ]) {
      expect((await user.kraft(['item', ...args])).exitCode, args.join(' ')).toBe(2);
    }
  });

  it('opens, answers, settles and shows review threads', async () => {
    const opened = await user.must(['item', 'comment', 'abcd', 'src/a.ts:7', '--body', 'Why?']);
    expect(opened).toContain('Commented on src/a.ts:7; thread thr22222 is now open.');
    expect(opened).toContain('kraft item review abcd2345 --outcome comment');
    await user.must(['item', 'comment', 'a:b:7', '--body', 'x'], { env: { KRAFT_WORK_ITEM_ID: 'abcd2345' } });
    await user.must(['item', 'reply', 'thr2', '--body', 'Because.']);
    expect(await user.must(['item', 'resolve', 'thr2'])).toContain('thr22222 is now resolved.');
    expect(await user.must(['item', 'reopen', 'thr2'])).toContain('thr22222 is now open.');

    expect(called('commentItem')).toEqual([
      { itemId: 'abcd', file: 'src/a.ts', line: 7, body: 'Why?' },
      { itemId: 'abcd2345', file: 'a:b', line: 7, body: 'x' },
    ]);
    expect(called('replyThread')).toEqual([{ threadId: 'thr2', body: 'Because.' }]);
    expect(called('setThread')).toEqual([
      { threadId: 'thr2', status: 'resolved' },
      { threadId: 'thr2', status: 'open' },
    ]);
    expect(await user.must(['view', 'threads', 'abcd', '--open'])).toMatch(
      /thr22222 {2}open \(draft\) {2}src\/a\.ts:7/,
    );
    expect(JSON.parse(await user.must(['view', 'threads', 'abcd', '--json']))).toEqual([kraft.thread]);
    expect(called('threads')).toEqual([
      { itemId: 'abcd', openOnly: true },
      { itemId: 'abcd', openOnly: false },
    ]);
  });

  it('shows what sessions asked the network for, as a table, as JSON, and as the lines that allow it', async () => {
    const command = 'kraft repo allow b.example:443 --phase install --repo /srv/shop';
    kraft.egressAnswer = {
      itemId: 'abcd2345',
      sessions: [{ sessionId: 's1', task: null, phase: 'install', hosts: [], leftOut: 0, dropped: 0, malformed: 0 }],
      suggestions: [],
    };
    expect(await user.must(['view', 'egress', 'abcd'])).toContain('s1  setup command (install)\nIt asked for nothing.');
    const nothing = await user.kraft(['view', 'egress', 'abcd', '--suggest']);
    expect(nothing).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing was refused that an allow entry opens.\n',
    });

    const suggestions = [{ host: 'b.example', port: 443, phase: 'install', command }] as const;
    kraft.egressAnswer = { ...kraft.egressAnswer, suggestions };
    expect(await user.must(['view', 'egress', 'abcd', '--suggest'])).toBe(`${command}\n`);
    expect(JSON.parse(await user.must(['view', 'egress', 'abcd', '--suggest', '--json']))).toEqual(suggestions);
    expect(JSON.parse(await user.must(['view', 'egress', 'abcd', '--json']))).toEqual(kraft.egressAnswer);
    expect(called('egress')).toEqual(Array.from({ length: 5 }, () => ({ itemId: 'abcd' })));
  });

  it('abandons nothing without a yes when there is nobody to ask', async () => {
    const end = await user.kraft(['item', 'abandon', 'abcd']);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toContain('KRAFT_NOT_CONFIRMED');
    expect(called('abandonItem')).toEqual([]);
    await user.must(['item', 'abandon', 'abcd', '--yes']);
    expect(called('abandonItem')).toEqual(['abcd']);
  });

  it('takes the item from its worktree or from KRAFT_WORK_ITEM_ID when none is typed', async () => {
    const inside = join(user.run, 'worktrees', 'abcd2345', 'src');
    mkdirSync(inside, { recursive: true });
    await user.must(['view', 'show'], { cwd: inside });
    await user.must(['view', 'show'], { env: { KRAFT_WORK_ITEM_ID: 'abcd' } });
    expect(called('showItem')).toEqual(['abcd2345', 'abcd']);
    const end = await user.kraft(['view', 'show']);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('KRAFT_ITEM_ID_MISSING');
  });

  it('prints the worktree on exactly one line, or why there is none', async () => {
    kraft.items = [samplePublicItem({ worktree: '/work tree/abcd2345' })];
    expect(await user.must(['repo', 'path', 'abcd'])).toBe('/work tree/abcd2345\n');
    kraft.items = [samplePublicItem()];
    expect((await user.kraft(['repo', 'path', 'abcd'])).stderr).toContain('KRAFT_WORKTREE_MISSING');
  });

  it('shows the prompt, and refuses to show two things at once', async () => {
    expect(await user.must(['view', 'show', 'abcd', '--prompt'])).toBe('Do the task.\n');
    const end = await user.kraft(['view', 'show', 'abcd', '--prompt', '--plan']);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('KRAFT_OPTIONS_CONFLICT');
  });

  it('prints a diff with what could move the cursor escaped, and what is beside it on the side', async () => {
    kraft.diffAnswer = {
      text: '+added \u001b[2J\n',
      truncated: true,
      command: 'git -C /srv/repo diff abc kraft/abcd2345-x',
      untracked: ['notes\u202e.txt'],
      untrackedCount: 1,
      untrackedProblem: null,
    };
    const end = await user.kraft(['view', 'diff', 'abcd', '-w']);
    expect(end.stdout).toBe('+added \\x1b[2J\n');
    expect(end.stderr.trimEnd().split('\n')).toEqual([
      'Untracked, in the worktree alone:',
      '  notes\\u{202e}.txt',
      'The diff ends early here: it is longer than Kraft shows. All of it: git -C /srv/repo diff abc kraft/abcd2345-x',
    ]);
    expect(JSON.parse(await user.must(['view', 'diff', 'abcd', '--json', '--name-only']))).toEqual(kraft.diffAnswer);
    expect(called('diff')).toEqual([
      { itemId: 'abcd', format: 'patch', ignoreWhitespace: true },
      { itemId: 'abcd', format: 'name-only', ignoreWhitespace: false },
    ]);
  });

  it('says that a branch changes nothing', async () => {
    const end = await user.kraft(['view', 'diff', 'abcd', '--stat']);
    expect(end).toMatchObject({ exitCode: 0, stdout: '', stderr: 'The branch changes nothing yet.\n' });
    expect((await user.kraft(['view', 'diff', 'abcd', '--stat', '--name-only'])).exitCode).toBe(2);
  });

  it('refuses a live board where there is no terminal, and names what serves there', async () => {
    const end = await user.kraft(['view', 'watch']);
    expect(end).toMatchObject({ exitCode: 2, stdout: '' });
    expect(end.stderr).toMatch(/KRAFT_TERMINAL_NEEDED/);
    expect(end.stderr).toMatch(/kraft view list.*kraft view events -f/);
    expect(called('board')).toEqual([]);
  });

  it('gives events as a list, and one a line while it follows; an interrupt ends only the following', async () => {
    kraft.rows = [sampleEvent(1)];
    expect(JSON.parse(await user.must(['view', 'events', 'abcd', '--json']))).toEqual([sampleEvent(1)]);
    const child = user.start(['view', 'events', 'abcd', '-f', '--json']);
    let text = '';
    child.stdout?.on('data', (chunk) => (text += String(chunk)));
    await until(() => text.includes('\n'), 'the first event');
    kraft.rows = [...kraft.rows, sampleEvent(2)];
    kraft.news.emit('rows');
    await until(() => text.split('\n').length > 2, 'the second event');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([sampleEvent(1), sampleEvent(2)]);
    child.kill('SIGINT');
    expect(await new Promise((done) => child.once('exit', (_, signal) => done(signal)))).toBe('SIGINT');
    expect(called('pauseItem')).toEqual([]);
    expect((await user.kraft(['admin', 'health'])).exitCode).toBe(0);
  });

  it('prints the end of a log, its session on the side', async () => {
    const end = await user.kraft(['view', 'logs', 'abcd', '-n', '1']);
    expect(end).toMatchObject({ exitCode: 0, stdout: 'one\ntwo\n', stderr: 'session s1\n' });
    expect(await user.must(['view', 'logs', 'abcd', '--json'])).toBe(
      '{"session_id":"s1","text":"one"}\n{"session_id":"s1","text":"two"}\n',
    );
    expect(called('readLog')).toMatchObject([{ tailLines: 1 }, { tailLines: 50 }]);
    expect((await user.kraft(['view', 'logs', 'abcd', '-n', 'x'])).exitCode).toBe(2);
  });

  it('asks the daemon for its doctor and ends with 1 when something fails', async () => {
    const end = await user.kraft(['admin', 'doctor']);
    expect(end.exitCode).toBe(1);
    expect(end.stdout).toContain('FAIL     engine  none\n         remedy: Start one.');
    expect(end.stderr).toBe('');
  });
});

describe('a daemon of another version', () => {
  let asked: string[] = [];
  let other: Server;

  beforeEach(async () => {
    asked = [];
    mkdirSync(user.run, { recursive: true, mode: 0o700 });
    other = createServer((incoming, outgoing) => {
      asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
      const health = { status: 'ok', reasons: [], version: '7.0.0', protocol: 7, pid: 1 };
      const stop = { pid: 2 ** 22 + 1, leftRunning: 2, paused: 0 };
      outgoing.end(JSON.stringify(incoming.url === '/api/stop' ? stop : health));
    });
    await new Promise<void>((done) => other.listen(join(user.run, 'kraft.sock'), done));
  });
  afterEach(async () => {
    other.closeAllConnections();
    await new Promise((done) => other.close(done));
  });

  it.each([
    { args: ['view', 'list'] },
    { args: ['item', 'create', 'x'] },
    { args: ['item', 'abandon', 'x', '--yes'] },
    { args: ['view', 'events', '-f'] },
  ])('is sent nothing but health by $args, which names both versions and the restart', async ({ args }) => {
    const end = await user.kraft(args);
    expect(end.exitCode).toBe(1);
    expect(end.stderr).toMatch(/0\.1\.0 \(protocol 1\).*7\.0\.0 \(protocol 7\)/);
    expect(end.stderr).toContain('kraft admin stop && kraft admin start --detach');
    expect(asked).toEqual(['GET /api/health']);
  });

  it('can be asked for its health, which says how to restart it, and be stopped', async () => {
    const health = await user.kraft(['admin', 'health']);
    expect(health.exitCode).toBe(1);
    expect(health.stderr).toContain('kraft admin stop && kraft admin start --detach');
    expect(await user.must(['admin', 'stop'])).toBe('Stopped. 2 sessions left running for the next daemon to adopt.\n');
    expect(asked).toEqual(['GET /api/health?reasons=true', 'POST /api/stop']);
  });
});
