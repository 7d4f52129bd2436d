import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/base/index.ts';
import type { ItemView } from '../../src/compose/index.ts';
import { renderItemView } from '../../src/cli/render-item-view.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { samplePublicItem } from '../support/fake-kraft.ts';
import { sampleSession } from '../support/sample-item.ts';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'UTC';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const at = (second: number): string => `2026-01-02T03:04:${String(second).padStart(2, '0')}.000Z`;
const stopped: ItemView = {
  item: samplePublicItem({
    status: 'needs_human',
    started: true,
    nextNode: 'verification',
    attempt: 2,
    base: 'origin/main',
    baseCommit: 'b'.repeat(40),
    worktree: '/home/ada/.kraft/run/worktrees/abcd2345',
    stop: {
      kind: 'failed',
      code: 'KRAFT_SETUP_FAILED',
      reason: 'Tests fail on the item’s branch: `npm test`.',
      remedy:
        'Read the output of the failed sessions and mend the branch or the tests, then run `kraft item retry abcd2345`.',
      sessionId: 's4',
      facts: {
        doctor_row: 'setup sample: ok: it is there',
        failed_scopes: ['npm test'],
        output_tail: 'one\ntwo\u001b[2J\nthree',
        nothing: null,
      },
    },
  }),
  nodes: [
    {
      id: 'implementation',
      kind: 'exec',
      state: 'done',
      tasks: [{ path: 'implementation.main.agent', kind: 'agent', skipped: false, sessionId: 's3', status: 'done' }],
    },
    {
      id: 'verification',
      kind: 'exec',
      state: 'stopped',
      tasks: [
        { path: 'verification.main.tests', kind: 'builtin', skipped: false, sessionId: 's4', status: 'failed' },
        { path: 'verification.main.lint', kind: 'subprocess', skipped: true, sessionId: null, status: null },
      ],
    },
    { id: 'review', kind: 'gate', state: 'to_come', tasks: [] },
  ],
  sessions: [
    sampleSession({ id: 's1', attempt: 1, status: 'failed', startedAt: at(0), endedAt: at(2), exitCode: 1 }),
    sampleSession({
      id: 's3',
      attempt: 2,
      status: 'done',
      startedAt: at(3),
      endedAt: at(9),
      wallMs: 6_000,
      exitCode: 0,
      inputTokens: 12_000,
      cachedTokens: 300,
      outputTokens: 45,
      costUsd: 0.4512,
    }),
    sampleSession({
      id: 's4',
      attempt: 2,
      task: 'verification.main.tests.1',
      status: 'failed',
      startedAt: at(10),
      endedAt: at(12),
      exitCode: 1,
      timeCapMs: 3_600_000,
      memoryBytes: 4 * 1024 ** 3,
      reason: 'exit 1',
    }),
  ],
  spend: { tokens: 12_345, costUsd: 0.4512 },
  openThreads: 2,
  commits: [{ commit: 'a'.repeat(40), subject: 'Mend\u001b[31m it', author: 'Ada', at: at(9) }],
  mergeCommand: 'git -C /srv/repo merge kraft/abcd2345-mend-the-basket',
  nextCommand: 'kraft item retry abcd2345',
};
const render = (view: ItemView, columns: number | null): string =>
  renderItemView(view, { style: createStyle(false), columns, nowMs: Date.parse(at(30)) });

describe('renderItemView', () => {
  it('lists the hosts that were refused behind a stop, each with what opens it, and how many more there are', () => {
    const refused = (at: number) => ({
      host: at === 0 ? 'pkg\u001b[2J.example' : `h${at}.example`,
      port: 443,
      phase: 'install',
      reason: 'not on the allow list',
      remedy: `\`kraft repo allow h${at}.example:443 --phase install\` allows it`,
      allow: null,
    });
    const facts = {
      refused_hosts: [...Array.from({ length: 9 }, (_, n) => refused(n)), 'odd'],
      refused_hosts_left_out: 3,
    };
    const { item } = stopped;
    const view = { ...stopped, item: { ...item, stop: { ...item.stop!, facts } } };
    const lines = render(view, null).split('\n');
    const at = lines.findIndex((line) => line.startsWith('refused'));
    expect(lines.slice(at, at + 3)).toEqual([
      String.raw`refused     pkg\x1b[2J.example:443 (install): not on the allow list; ${'`'}kraft repo allow h0.example:443 --phase install${'`'} allows it`,
      '            h1.example:443 (install): not on the allow list; `kraft repo allow h1.example:443 --phase install` allows it',
      '            h2.example:443 (install): not on the allow list; `kraft repo allow h2.example:443 --phase install` allows it',
    ]);
    expect(lines[at + 8]).toBe('            and 4 more (see `kraft view egress abcd2345`)');
    expect(lines[at + 9]).toBe('go on       kraft item retry abcd2345');
  });

  it('tells the whole state of a stopped item', () => {
    expect(render(stopped, null)).toBe(
      [
        'Mend the basket',
        'failed: stopped for a person',
        'why         Tests fail on the item’s branch: `npm test`. (failed)',
        'remedy      Read the output of the failed sessions and mend the branch or the tests, then run `kraft item retry abcd2345`.',
        'code        KRAFT_SETUP_FAILED (see `kraft admin explain KRAFT_SETUP_FAILED`)',
        'doctor      setup sample: ok: it is there',
        'facts       failed scopes: npm test',
        '            output tail:',
        '              one',
        '              two\\x1b[2J',
        '              three',
        'go on       kraft item retry abcd2345',
        'merge it    git -C /srv/repo merge kraft/abcd2345-mend-the-basket',
        'its output  kraft view logs abcd2345 --session s4',
        '',
        'id          abcd2345, attempt 2',
        'task        The total is wrong.',
        'chain       quick-task with demo',
        'repository  /srv/repo',
        'branch      kraft/abcd2345-mend-the-basket from origin/main bbbbbbbbbbbb',
        'worktree    /home/ada/.kraft/run/worktrees/abcd2345',
        'filed       2026-01-02 03:04:05, changed 2026-01-02 03:04:05',
        'used        12.3k tokens, $0.45',
        'threads     2 open (see `kraft view threads abcd2345`)',
        'limits      1 h 00 min a session, 4g of memory',
        '',
        'NODE            STATE    TASKS',
        'implementation  done     main.agent done',
        'verification    stopped  main.tests failed, main.lint skipped',
        'review (gate)   to come',
        '',
        'SESSION  TASK                       STATE   TOOK   EXIT  TOKENS  COST   WHY',
        's3       implementation.main.agent  done    6.0 s  0     12.3k   $0.45',
        's4       verification.main.tests.1  failed  2.0 s  1                    exit 1',
        'and 1 before; --json has all',
        '',
        'Commits',
        '  aaaaaaaaaaaa Mend\\x1b[31m it (Ada)',
        '',
      ].join('\n'),
    );
  });

  it.each([80, 120])('fits into %i columns', (columns) => {
    const text = render(stopped, columns);
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(text).toContain('$0.45');
  });

  it('lets a running session count on, and leaves out what there is not', () => {
    const text = render(
      {
        ...stopped,
        item: samplePublicItem({ status: 'active', started: true, description: '' }),
        nodes: [],
        sessions: [sampleSession({ status: 'running', startedAt: at(0) })],
        spend: null,
        openThreads: 0,
        commits: [],
        mergeCommand: null,
        nextCommand: null,
      },
      null,
    );
    expect(text).toMatch(/s1 +implementation\.main\.agent +running +0:30/);
    expect(text).not.toMatch(/NODE|TOKENS|COST|WHY|why|used|limits|Commits|merge it|go on/);
  });

  it('names both answers at a gate', () => {
    const item = samplePublicItem({
      status: 'needs_human',
      stop: { kind: 'gate', code: null, reason: 'Look at it.', remedy: '', sessionId: null, facts: {} },
    });
    const text = render({ ...stopped, item, nextCommand: 'kraft item approve abcd2345' }, null);
    expect(text).toContain('needs you: stopped for a person');
    expect(text).toMatch(/go on +kraft item approve abcd2345\nor +kraft item reject abcd2345 --note TEXT\n/);
  });

  it('keeps to one screen whatever an item gathered', () => {
    const many = Array.from({ length: 40 }, (_, index) => index);
    const text = render(
      {
        ...stopped,
        item: { ...stopped.item, description: many.join('\n') },
        sessions: many.map((index) => sampleSession({ id: `s${index}` })),
        commits: many.map((index) => ({ commit: 'c'.repeat(40), subject: `Step ${index}`, author: 'Ada', at: at(1) })),
      },
      80,
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
    expect(text).toContain('and 32 before; --json has all');
    expect(text).toContain('and 34 before');
  });
});
