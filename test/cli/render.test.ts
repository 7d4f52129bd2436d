import { afterEach, describe, expect, it } from 'vitest';
import { defineErrors, displayWidth, gatherErrors } from '../../src/base/index.ts';
import type { DoctorReport, ItemView } from '../../src/compose/index.ts';
import { renderCompletion } from '../../src/cli/render-completion.ts';
import { renderConnect } from '../../src/cli/render-connect.ts';
import { renderDoctor } from '../../src/cli/render-doctor.ts';
import { renderError, renderErrorJson } from '../../src/cli/render-error.ts';
import { renderEvent } from '../../src/cli/render-events.ts';
import { renderActed, renderItemList } from '../../src/cli/render-item.ts';
import { plain, renderTable } from '../../src/cli/render-table.ts';
import { renderLocalTime } from '../../src/cli/render-time.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { sampleEvent, samplePublicItem } from '../support/fake-kraft.ts';

const style = createStyle(false);
const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const view = (overrides: Partial<ItemView> = {}): ItemView => ({
  item: samplePublicItem(),
  sessions: [],
  nodes: [],
  spend: null,
  openThreads: 0,
  commits: [],
  mergeCommand: null,
  nextCommand: 'kraft item start abcd2345',
  ...overrides,
});

describe('renderTable', () => {
  it('keeps columns aligned under wide characters', () => {
    const text = renderTable(
      [
        { heading: 'A', shrinks: false },
        { heading: 'B', shrinks: false },
      ],
      [
        [plain('宽字符'), plain('x')],
        [plain('ab'), plain('y')],
      ],
      { columns: null, heading: (each) => each },
    );
    const [, wide = '', narrow = ''] = text.split('\n');
    expect(displayWidth(wide.slice(0, wide.indexOf('x')))).toBe(displayWidth(narrow.slice(0, narrow.indexOf('y'))));
  });

  it('cuts a column that may shrink so that rows fit the terminal', () => {
    const text = renderTable(
      [
        { heading: 'ID', shrinks: false },
        { heading: 'TITLE', shrinks: true },
      ],
      [[plain('abcd2345'), plain('宽'.repeat(60))]],
      { columns: 40, heading: (each) => each },
    );
    for (const line of text.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(text).toContain('…');
  });

  it('escapes what would move the cursor or forge a line', () => {
    const text = renderTable([{ heading: 'A', shrinks: false }], [[plain('a\u001b[2J\nb\u202e')]], {
      columns: null,
      heading: (each) => each,
    });
    expect(text).toBe('A\na\\x1b[2J\\nb\\u{202e}\n');
  });
});

describe('renderLocalTime', () => {
  it('shows a stored time on the clock of the reader', () => {
    process.env['TZ'] = 'Asia/Tokyo';
    expect(renderLocalTime('2026-01-02T03:04:05.678Z')).toBe('2026-01-02 12:04:05');
  });
});

describe('rendering of items', () => {
  it('says the state in words, with and without colour', () => {
    const item = samplePublicItem({ status: 'needs_human', started: true });
    expect(renderItemList([item], style, null)).toContain('needs you');
    expect(renderItemList([item], createStyle(true), null)).toContain('needs you');
  });

  it('says after an action where the item now is and what comes next', () => {
    expect(renderActed('Filed', view())).toBe(
      'Filed abcd2345; the item is now filed.\nNext: kraft item start abcd2345\n',
    );
  });
});

describe('renderEvent', () => {
  it('fits an event with its payload on one line', () => {
    process.env['TZ'] = 'UTC';
    expect(renderEvent(sampleEvent(7), style)).toBe(
      '2026-01-02 03:04:05 abcd2345 node_started node_id=implementation\n',
    );
  });

  it('escapes what an agent wrote', () => {
    const row = {
      ...sampleEvent(1),
      type: 'scope_skipped' as const,
      payload: { node_id: 'n', path: 'a\nb', note: '\u001b[1m' },
    };
    expect(renderEvent(row, style)).not.toMatch(/\u001b|\n./);
  });
});

describe('renderDoctor', () => {
  it('tells outcomes by words and counts them', () => {
    const report: DoctorReport = {
      ok: false,
      rows: [
        { name: 'engine', outcome: 'fail', detail: 'none answered', remedy: 'Start one.', errors: [] },
        { name: 'disk', outcome: 'ok', detail: 'enough', remedy: null, errors: [] },
      ],
    };
    const text = renderDoctor(report, style);
    expect(text).toBe(
      'FAIL     engine  none answered\n         remedy: Start one.\nok       disk    enough\n\nSomething fails: 1 ok, 1 fail.\n',
    );
  });
});

describe('renderError', () => {
  const errors = defineErrors({
    ODD: {
      kind: 'config',
      message: (p: { what: string }) => `The ${p.what} is odd.`,
      remedy: () => 'Straighten it.',
    },
  });
  const error = gatherErrors([
    errors.create('ODD', { what: 'first\u001b[2K' }),
    errors.create('ODD', { what: 'second' }),
  ]);

  it('prints the first problem on one line with the number of others, then remedy and code', () => {
    expect(renderError(error, style)).toBe(
      'error: The first\\x1b[2K is odd. … and 1 more (--json shows all)\nremedy: Straighten it.\n(KRAFT_ODD)\n',
    );
  });

  it('gives programs the whole report', () => {
    expect(JSON.parse(renderErrorJson(error, 2))).toMatchObject({
      outcome: 'error',
      code: 'KRAFT_ODD',
      kind: 'config',
      remedy: 'Straighten it.',
      details: { what: 'first\u001b[2K' },
      others: [{ code: 'KRAFT_ODD', details: { what: 'second' } }],
    });
  });
});

describe('renderConnect', () => {
  it('prints each command with the file it came from, what else was found, and warnings', () => {
    const text = renderConnect(
      {
        outcome: 'connected',
        path: '/srv/repo',
        label: 'repo',
        namedWorktree: '/srv/linked',
        readFrom: 'origin/main',
        test: {
          command: 'just test',
          origin: 'proposed',
          marker: 'justfile',
          alsoFound: [{ command: 'npm test', marker: 'package.json' }],
          note: null,
        },
        setup: { command: null, origin: 'none', marker: null, alsoFound: [], note: 'pyproject.toml: no lockfile' },
        scopes: [],
        image: 'localhost/kraft-worker:latest',
        network: {
          origin: 'proposed',
          lists: { install: { allow: ['packages.example.org'], deny: [] }, runtime: { allow: [], deny: [] } },
          found: [{ host: 'packages.example.org', why: '`npm config get registry`' }],
          notes: ['uv was not asked for its registry, or named none.'],
        },
        warnings: ['hooks of this repository do not run'],
      },
      style,
    );
    expect(text).toMatch(/test command +just test {2}\(from justfile\)/);
    expect(text).toMatch(/setup command +none found \(pyproject.toml: no lockfile\)/);
    expect(text).toContain('also found for test: npm test (from package.json)');
    expect(text).toContain('/srv/linked is a linked worktree of it');
    expect(text).toContain('warning: hooks of this repository do not run');
    expect(text).toContain('the setup command reaches packages.example.org (`npm config get registry`)');
    expect(text).toContain('note: uv was not asked');
    expect(text).toContain('`kraft repo allow HOST --phase install --repo /srv/repo`');
    expect(text).toContain('Check the proposed commands');
  });
});

describe('renderCompletion', () => {
  it.each(['bash', 'zsh', 'fish'] as const)('offers verbs and options in %s', (shell) => {
    const text = renderCompletion(shell, [{ words: ['view', 'list'], summary: 'List items', options: ['--all'] }]);
    expect(text).toContain('view');
    expect(text).toMatch(shell === 'fish' ? /-l all/ : /--all/);
  });
});
