import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/base/index.ts';
import type { Board, BoardItem } from '../../src/compose/index.ts';
import { renderBoard, type BoardFrame } from '../../src/cli/render-board.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { sampleEvent, samplePublicItem } from '../support/fake-kraft.ts';
import { sampleSession } from '../support/sample-item.ts';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'UTC';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const nowMs = Date.parse('2026-01-02T03:06:05.678Z');
const frame: BoardFrame = { columns: 120, rows: 24, nowMs, style: createStyle(false), notice: null };
const row = (overrides: Partial<BoardItem['item']>, more: Partial<BoardItem> = {}): BoardItem => ({
  item: samplePublicItem(overrides),
  sessions: [],
  lastEvent: null,
  spend: null,
  ...more,
});
const running = row(
  { id: 'runs2222', status: 'active', started: true, nextNode: 'verification', attempt: 2 },
  {
    sessions: [
      sampleSession({
        nodeId: 'verification',
        task: 'verification.main.tests.1',
        startedAt: '2026-01-02T03:05:00.678Z',
      }),
      sampleSession({ id: 's2', nodeId: 'verification', task: 'verification.main.lint' }),
    ],
    lastEvent: sampleEvent(9),
    spend: { tokens: 12_345, costUsd: 1.5 },
  },
);
const asks = row({ id: 'asks2222', status: 'needs_human', started: true, nextNode: 'review' });
const board = (...items: BoardItem[]): Board => ({ seq: 9, items });

describe('renderBoard', () => {
  it('shows what needs a person first, then what runs, with task, time, attempt, use and last event', () => {
    expect(renderBoard(board(running, row({}), asks), frame)).toEqual([
      'kraft: 1 needs you, 1 running, 1 filed',
      'ID        STATE      NODE          TASK             FOR   TRY  TOKENS  COST   LAST EVENT             TITLE',
      'asks2222  needs you  review                         2:00  1                                          Mend the basket',
      'runs2222  running    verification  main.tests.1 +1  1:05  2    12.3k   $1.50  03:04:05 node_started  Mend the basket',
      'abcd2345  filed                                     2:00  1                                          Mend the basket',
      'q ends the view; nothing else is stopped',
    ]);
  });

  it('names the repositories only when there are several', () => {
    const text = renderBoard(board(running, row({ repo: '/srv/other' })), { ...frame, columns: 160 }).join('\n');
    expect(text).toMatch(/REPOSITORY.*\n.* repo\n.* other\n/);
  });

  it.each([200, 120, 80, 60, 40])('fits into %i columns and keeps id, state and title', (columns) => {
    const lines = renderBoard(board(running, asks, row({ title: '宽'.repeat(80) })), { ...frame, columns });
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines[1]).toMatch(/^ID +STATE .*TITLE/);
  });

  it.each([24, 6, 3, 1])('takes at most %i rows, and says what it leaves out', (rows) => {
    const lines = renderBoard(board(...Array.from({ length: 50 }, () => running)), { ...frame, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    if (rows > 3) expect(lines.at(-2)).toBe(`… and ${50 - (rows - 4)} more; \`kraft view list\` shows all`);
  });

  it('lets no title move the cursor or forge a line', () => {
    const lines = renderBoard(board(row({ title: '\u001b[2J\nruns2222 done\u202e' })), frame);
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/[\u001b\u202e]/);
  });

  it('tells in its last line what is wrong', () => {
    expect(renderBoard(board(running), { ...frame, notice: 'The daemon does not answer.' }).at(-1)).toBe(
      'The daemon does not answer.',
    );
  });

  it('names the command that files an item when there is none', () => {
    expect(renderBoard(board(), frame).join('\n')).toContain('kraft item create');
  });
});
