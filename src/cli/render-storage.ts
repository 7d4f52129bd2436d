import { renderBytes, safeLine } from '../base/index.ts';
import type { ItemStorage, StorageReport } from '../compose/index.ts';
import { plain, renderTable, type Cell, type Column } from './render-table.ts';
import type { Style } from './terminal.ts';

const columns: readonly Column[] = [
  { heading: 'ID', shrinks: false },
  { heading: 'STATE', shrinks: false },
  { heading: 'TITLE', shrinks: true },
  { heading: 'WORKTREE', shrinks: false },
  { heading: 'REFS', shrinks: false },
  { heading: 'HOME', shrinks: false },
  { heading: 'RESULTS', shrinks: false },
  { heading: 'LOGS', shrinks: false },
  { heading: 'TOTAL', shrinks: false },
  { heading: 'BRANCH', shrinks: false },
];

/** Whether it may be archived is all that the state is for here. */
const words: Readonly<Record<ItemStorage['status'], string>> = {
  paused: 'paused',
  queued: 'waiting',
  active: 'running',
  rate_limited: 'rate-limited',
  needs_human: 'stopped',
  completed: 'done',
  abandoned: 'abandoned',
};

/** `admin storage`: what items hold, then what belongs to none. Pure. */
export function renderStorage(report: StorageReport, style: Style, width: number | null): string {
  const total = `${report.isPartial ? 'At least ' : ''}${renderBytes(report.totalBytes)}`;
  const parts = [
    report.items.length === 0
      ? 'No item holds anything.\n'
      : renderTable(columns, report.items.map(toCells), { columns: width, heading: (text) => style.bold(text) }),
    renderStrays(report, style),
    `${total} in all.${report.isPartial ? ' Not everything could be looked at.' : ''}\n`,
    renderHint(report),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function toCells(row: ItemStorage): readonly Cell[] {
  const bytes = [row.worktreeBytes, row.refStoreBytes, row.homeBytes, row.resultBytes, row.logBytes, row.totalBytes];
  return [
    plain(row.id),
    plain(row.archived ? 'archived' : words[row.status]),
    plain(row.title),
    ...bytes.map((each) => plain(each === 0 ? '-' : renderBytes(each))),
    plain(row.hasBranch === null ? 'unknown' : row.hasBranch ? 'yes' : 'no'),
  ];
}

function renderStrays({ strays }: StorageReport, style: Style): string {
  if (strays.length === 0) return '';
  const lines = strays.map(({ path, bytes }) => `  ${safeLine(path)}  ${renderBytes(bytes)}`);
  return `${style.bold('Of no item')}\n${lines.join('\n')}\n`;
}

/** What can be freed, largest first. */
function renderHint({ items }: StorageReport): string {
  const ended = items.find(({ status, archived }) => !archived && (status === 'completed' || status === 'abandoned'));
  return ended === undefined ? '' : `Free what an ended item holds: kraft item archive ${ended.id}\n`;
}
