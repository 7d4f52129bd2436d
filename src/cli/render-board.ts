import { basename } from 'node:path';
import { safeLine } from '../base/index.ts';
import type { Board, BoardItem } from '../compose/index.ts';
import { renderCost, renderTokens } from './render-spend.ts';
import { paintStatus, renderStatus } from './render-status.ts';
import { leastWidth, plain, renderTable, type Cell, type Column } from './render-table.ts';
import { renderElapsed, renderLocalTime } from './render-time.ts';
import type { Style } from './terminal.ts';

/** What a board is drawn into. */
export interface BoardFrame {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly style: Style;
  /** Told in the last line; null when there is nothing to tell. */
  readonly notice: string | null;
}

/** The lines of a live board: at most `rows`, those that matter most first. Pure. */
export function renderBoard(board: Board, frame: BoardFrame): readonly string[] {
  const { style } = frame;
  const items = board.items.toSorted((a, b) => rank(a) - rank(b));
  const foot = frame.notice === null ? style.dim('q ends the view; nothing else is stopped') : style.red(frame.notice);
  if (items.length === 0) {
    return [renderCounts(items), '', 'No items. File one with `kraft item create TITLE`.', foot].slice(0, frame.rows);
  }
  // Besides the items: the counts, the headings, and the last line.
  const room = Math.max(0, frame.rows - 3);
  const shown = items.length <= room ? items : items.slice(0, Math.max(0, room - 1));
  const lines = renderRows(shown, frame).trimEnd().split('\n');
  const hidden = items.length - shown.length;
  if (hidden > 0) lines.push(style.dim(`… and ${hidden} more; \`kraft view list\` shows all`));
  return [renderCounts(items), ...lines.slice(0, Math.max(0, frame.rows - 2)), foot].slice(0, frame.rows);
}

const order: readonly BoardItem['item']['status'][] = ['needs_human', 'active', 'queued', 'rate_limited', 'paused'];

function rank({ item }: BoardItem): number {
  const at = order.indexOf(item.status);
  return at === -1 ? order.length : at;
}

/** `2 running, 1 needs you, 3 filed`. */
function renderCounts(items: readonly BoardItem[]): string {
  const counts = Map.groupBy(items, ({ item }) => renderStatus(item));
  const parts = [...counts].map(([word, all]) => `${all.length} ${word}`);
  return `kraft: ${parts.length === 0 ? 'nothing filed' : parts.join(', ')}`;
}

interface BoardColumn extends Column {
  readonly cell: (row: BoardItem) => Cell;
  /** Left out when no row has anything in it. */
  readonly sparse: boolean;
  /** The greatest goes first when a window is too narrow; 0 stays. */
  readonly gives: number;
}

function renderRows(rows: readonly BoardItem[], { columns: fit, nowMs, style }: BoardFrame): string {
  const repos = new Set(rows.map(({ item }) => item.repo));
  const columns: readonly BoardColumn[] = [
    { heading: 'ID', shrinks: false, sparse: false, gives: 0, cell: ({ item }) => plain(item.id) },
    {
      heading: 'STATE',
      shrinks: false,
      sparse: false,
      gives: 0,
      cell: ({ item }) => ({ text: renderStatus(item), paint: paintStatus(item, style) }),
    },
    { heading: 'NODE', shrinks: true, sparse: true, gives: 2, cell: ({ item }) => plain(item.nextNode ?? '') },
    { heading: 'TASK', shrinks: true, sparse: true, gives: 1, cell: (row) => plain(renderTask(row)) },
    { heading: 'FOR', shrinks: false, sparse: false, gives: 0, cell: (row) => plain(renderSince(row, nowMs)) },
    { heading: 'TRY', shrinks: false, sparse: false, gives: 5, cell: ({ item }) => plain(String(item.attempt)) },
    {
      heading: 'TOKENS',
      shrinks: false,
      sparse: true,
      gives: 4,
      cell: ({ spend }) => count(spend?.tokens, renderTokens),
    },
    { heading: 'COST', shrinks: false, sparse: true, gives: 3, cell: ({ spend }) => count(spend?.costUsd, renderCost) },
    { heading: 'LAST EVENT', shrinks: true, sparse: true, gives: 6, cell: (row) => plain(renderLastEvent(row)) },
    { heading: 'TITLE', shrinks: true, sparse: false, gives: 0, cell: ({ item }) => plain(item.title) },
    {
      heading: 'REPOSITORY',
      shrinks: true,
      sparse: true,
      gives: 7,
      cell: ({ item }) => plain(repos.size > 1 ? basename(item.repo) : ''),
    },
  ];
  const used = columns.filter(({ sparse, cell }) => !sparse || rows.some((row) => cell(row).text !== ''));
  const fitting = giveWay(used, rows, fit);
  return renderTable(
    fitting,
    rows.map((row) => fitting.map(({ cell }) => cell(row))),
    { columns: fit, heading: (text) => style.bold(text) },
  );
}

/** Leaves columns out until the rest fits when shrunk. */
function giveWay(columns: readonly BoardColumn[], rows: readonly BoardItem[], fit: number): readonly BoardColumn[] {
  const needed = columns.map((column) =>
    leastWidth(
      column,
      rows.map((row) => column.cell(row)),
    ),
  );
  if (needed.reduce((sum, width) => sum + width + 2, -2) <= fit) return columns;
  const first = columns.toSorted((a, b) => b.gives - a.gives)[0];
  if (first === undefined || first.gives === 0) return columns;
  return giveWay(
    columns.filter((column) => column !== first),
    rows,
    fit,
  );
}

function count(value: number | null | undefined, render: (value: number) => string): Cell {
  return plain(value === null || value === undefined ? '' : render(value));
}

/** The part of the task's path below its node; tasks beside it are counted. */
function renderTask({ item, sessions }: BoardItem): string {
  const [first, ...others] = sessions;
  if (first === undefined) return item.enterAt ?? '';
  const task = first.task.startsWith(`${first.nodeId}.`) ? first.task.slice(first.nodeId.length + 1) : first.task;
  return others.length === 0 ? task : `${task} +${others.length}`;
}

/** How long the running session runs, else how long the item has stood as it is. */
function renderSince({ item, sessions }: BoardItem, nowMs: number): string {
  const since = sessions.find((session) => session.startedAt !== null)?.startedAt ?? item.updatedAt;
  return renderElapsed(nowMs - Date.parse(since));
}

function renderLastEvent({ lastEvent }: BoardItem): string {
  return lastEvent === null ? '' : `${renderLocalTime(lastEvent.created_at).slice(-8)} ${safeLine(lastEvent.type)}`;
}
