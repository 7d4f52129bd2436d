import type { EventRow } from '../events/index.ts';
import type { Item, Thread, ThreadComment } from '../items/index.ts';
import type { SessionRow } from './store.ts';

/** A value as SQLite keeps it. */
export type Cell = string | number | null;

/** How a column's value is kept: as it is, as 0 and 1, or as JSON text. */
type Kept = 'plain' | 'flag' | 'json';

// Typed by the row, so that a new field without a column does not compile.
const itemColumns: Readonly<Record<keyof Item, Kept>> = {
  id: 'plain',
  title: 'plain',
  description: 'plain',
  repo: 'plain',
  chain: 'plain',
  harness: 'plain',
  branch: 'plain',
  baseBranch: 'plain',
  baseCommit: 'plain',
  base: 'plain',
  worktree: 'plain',
  adminDir: 'plain',
  prepared: 'flag',
  status: 'plain',
  started: 'flag',
  pauseRequested: 'flag',
  stop: 'json',
  nextNode: 'plain',
  enterAt: 'plain',
  skipped: 'json',
  recovered: 'json',
  fixLoop: 'json',
  steer: 'plain',
  rejection: 'json',
  resumesAt: 'plain',
  archivedAt: 'plain',
  attempt: 'plain',
  frozen: 'plain',
  frozenChain: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
};

const sessionColumns: Readonly<Record<keyof SessionRow, Kept>> = {
  id: 'plain',
  itemId: 'plain',
  nodeId: 'plain',
  task: 'plain',
  attempt: 'plain',
  run: 'plain',
  harness: 'plain',
  status: 'plain',
  backend: 'plain',
  engine: 'plain',
  container: 'plain',
  containerId: 'plain',
  command: 'plain',
  pid: 'plain',
  bootId: 'plain',
  startTicks: 'plain',
  exitCode: 'plain',
  logPath: 'plain',
  resultDir: 'plain',
  exitPath: 'plain',
  memoryBytes: 'plain',
  timeCapMs: 'plain',
  createdAt: 'plain',
  startedAt: 'plain',
  endedAt: 'plain',
  wallMs: 'plain',
  reason: 'plain',
  agentSession: 'plain',
  model: 'plain',
  inputTokens: 'plain',
  cachedTokens: 'plain',
  outputTokens: 'plain',
  costUsd: 'plain',
  findings: 'json',
  verdict: 'plain',
  relay: 'plain',
  egress: 'json',
};

const threadColumns: Readonly<Record<keyof Thread, Kept>> = {
  id: 'plain',
  itemId: 'plain',
  file: 'plain',
  line: 'plain',
  status: 'plain',
  draft: 'flag',
  createdAt: 'plain',
  updatedAt: 'plain',
};

const commentColumns: Readonly<Record<keyof ThreadComment, Kept>> = {
  author: 'plain',
  body: 'plain',
  claim: 'plain',
  createdAt: 'plain',
};

/** Column names of a table, in the order in which statements bind them. */
export const columnNames = {
  items: Object.keys(itemColumns),
  sessions: Object.keys(sessionColumns),
  threads: Object.keys(threadColumns),
} as const;

/** The cells of the fields that are present; unknown names are dropped. */
export function itemCells(item: Partial<Item>): Record<string, Cell> {
  return toCells(itemColumns, item);
}

export function sessionCells(session: Partial<SessionRow>): Record<string, Cell> {
  return toCells(sessionColumns, session);
}

export function threadCells(thread: Thread): Record<string, Cell> {
  return toCells(threadColumns, thread);
}

export function toThread(cells: Record<string, unknown>): Thread {
  return fromCells(threadColumns, cells) as unknown as Thread;
}

export function toComment(cells: Record<string, unknown>): ThreadComment {
  return fromCells(commentColumns, cells) as unknown as ThreadComment;
}

export function toItem(cells: Record<string, unknown>): Item {
  return fromCells(itemColumns, cells) as unknown as Item;
}

export function toSession(cells: Record<string, unknown>): SessionRow {
  return fromCells(sessionColumns, cells) as unknown as SessionRow;
}

export function toEvent(cells: Record<string, unknown>): EventRow {
  return {
    seq: cells['seq'],
    work_item_id: cells['itemId'],
    type: cells['type'],
    payload: JSON.parse(String(cells['payload'])) as unknown,
    node_id: cells['nodeId'],
    created_at: cells['createdAt'],
  } as unknown as EventRow;
}

function toCells(columns: Readonly<Record<string, Kept>>, row: object): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [name, value] of Object.entries(row) as [string, unknown][]) {
    const kept = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (kept === undefined || value === undefined) continue;
    if (kept === 'flag') cells[name] = value === true ? 1 : 0;
    else if (kept === 'json') cells[name] = value === null ? null : JSON.stringify(value);
    else cells[name] = value as Cell;
  }
  return cells;
}

function fromCells(columns: Readonly<Record<string, Kept>>, cells: Record<string, unknown>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, kept] of Object.entries(columns)) {
    const cell = cells[name] ?? null;
    if (kept === 'flag') row[name] = cell === 1;
    else if (kept === 'json') row[name] = typeof cell === 'string' ? (JSON.parse(cell) as unknown) : null;
    else row[name] = cell;
  }
  return row;
}
