import { renderDuration, safeLine, safeText } from '../base/index.ts';
import type { PublicItem, ItemStatus, ItemView, SessionRow } from '../compose/index.ts';
import type { Style } from './terminal.ts';
import { plain, renderBlock, renderTable, type Cell } from './render-table.ts';
import { renderLocalTime } from './render-time.ts';

const words: Readonly<Record<ItemStatus, string>> = {
  paused: 'paused',
  queued: 'waiting for a slot',
  active: 'running',
  rate_limited: 'waiting for a rate limit',
  needs_human: 'stopped for a person',
  completed: 'complete',
  abandoned: 'abandoned',
};

/** The state of an item in words. */
export function renderStatus(item: Pick<PublicItem, 'status' | 'started' | 'pauseRequested'>): string {
  if (item.status === 'paused' && !item.started) return 'filed';
  if (item.status === 'active' && item.pauseRequested) return 'pausing';
  return words[item.status];
}

function paintStatus(item: PublicItem, style: Style): (text: string) => string {
  if (item.status === 'needs_human') return (text) => style.red(text);
  if (item.status === 'completed') return (text) => style.green(text);
  if (item.status === 'active' || item.status === 'queued') return (text) => style.yellow(text);
  return (text) => text;
}

/** `view list`. */
export function renderItemList(items: readonly PublicItem[], style: Style, columns: number | null): string {
  const rows = items.map((item): readonly Cell[] => [
    plain(item.id),
    { text: renderStatus(item), paint: paintStatus(item, style) },
    plain(item.title),
    plain(renderLocalTime(item.createdAt)),
    plain(item.repo),
  ]);
  return renderTable(
    [
      { heading: 'ID', shrinks: false },
      { heading: 'STATE', shrinks: false },
      { heading: 'TITLE', shrinks: true },
      { heading: 'FILED', shrinks: false },
      { heading: 'REPOSITORY', shrinks: true },
    ],
    rows,
    { columns, heading: (text) => style.bold(text) },
  );
}

/** `view show`. */
export function renderItemView(view: ItemView, style: Style, columns: number | null): string {
  const { item } = view;
  const parts = [
    `${style.bold(safeLine(item.title))}\n`,
    renderBlock([
      ['id', item.id],
      ['state', paintStatus(item, style)(renderStatus(item))],
      ['node', item.nextNode === null ? null : safeLine(item.nextNode)],
      ['repository', safeLine(item.repo)],
      ['branch', safeLine(item.branch)],
      ['base', item.baseCommit === null ? item.baseBranch : item.baseCommit.slice(0, 12)],
      ['worktree', item.worktree === null ? null : safeLine(item.worktree)],
      ['chain', safeLine(item.chain)],
      ['harness', safeLine(item.harness)],
      ['filed', renderLocalTime(item.createdAt)],
      ['changed', renderLocalTime(item.updatedAt)],
    ]),
  ];
  if (item.stop !== null) parts.push(renderStop(item.stop, style));
  if (item.description !== '') parts.push(`${indent(safeText(item.description))}\n`);
  if (view.sessions.length > 0) parts.push(renderSessions(view.sessions, style, columns));
  if (view.commits.length > 0) parts.push(renderCommits(view, style));
  parts.push(renderHints(view));
  return parts.filter((part) => part !== '').join('\n');
}

function renderStop(stop: NonNullable<PublicItem['stop']>, style: Style): string {
  const code = stop.code === null ? stop.kind : `${stop.kind}, ${stop.code}`;
  return [
    `${style.red('stopped')} (${code}): ${safeText(stop.reason)}`,
    ...(stop.remedy === '' ? [] : [`${style.bold('remedy:')} ${safeText(stop.remedy)}`]),
    '',
  ].join('\n');
}

function renderSessions(sessions: readonly SessionRow[], style: Style, columns: number | null): string {
  const rows = sessions.map((session) => [
    plain(session.id),
    plain(session.task),
    plain(session.status),
    plain(session.exitCode === null ? '' : String(session.exitCode)),
    plain(renderTook(session)),
  ]);
  return renderTable(
    [
      { heading: 'SESSION', shrinks: false },
      { heading: 'TASK', shrinks: true },
      { heading: 'STATE', shrinks: false },
      { heading: 'EXIT', shrinks: false },
      { heading: 'TOOK', shrinks: false },
    ],
    rows,
    { columns, heading: (text) => style.bold(text) },
  );
}

function renderTook({ startedAt, endedAt }: SessionRow): string {
  if (startedAt === null || endedAt === null) return '';
  return renderDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
}

function renderCommits(view: ItemView, style: Style): string {
  const lines = view.commits.map(
    (each) => `  ${style.yellow(each.commit.slice(0, 12))} ${safeLine(each.subject)} (${safeLine(each.author)})`,
  );
  return `${style.bold('Commits')}\n${lines.join('\n')}\n`;
}

function renderHints(view: ItemView): string {
  const lines: string[] = [];
  if (view.mergeCommand !== null) lines.push(`merge it:  ${safeLine(view.mergeCommand)}`);
  if (view.nextCommand !== null) lines.push(`go on:     ${safeLine(view.nextCommand)}`);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** One sentence after an action: what was done, and where the item is now (CC 5.1). */
export function renderActed(done: string, view: ItemView): string {
  const { item } = view;
  const lines = [`${done} ${item.id}; the item is now ${renderStatus(item)}.`];
  if (item.stop !== null) lines.push(`${safeLine(item.stop.reason)} See \`kraft view show ${item.id}\`.`);
  else if (view.nextCommand !== null) lines.push(`Next: ${safeLine(view.nextCommand)}`);
  return `${lines.join('\n')}\n`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}
