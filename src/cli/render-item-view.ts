import { padDisplay, renderDuration, renderSize, safeLine, safeText } from '../base/index.ts';
import type { ItemView, NodeState, NodeView, SessionRow, TaskView } from '../compose/index.ts';
import { renderFacts } from './render-facts.ts';
import { renderRefusedHosts } from './render-refused-hosts.ts';
import { renderCost, renderTokens } from './render-spend.ts';
import { paintStatus, renderStatusLong } from './render-status.ts';
import { plain, renderTable, type Cell, type Column } from './render-table.ts';
import { renderElapsed, renderLocalTime } from './render-time.ts';
import type { Style } from './terminal.ts';
import { wrapLine } from './wrap-text.ts';

/** What an item is shown on. */
export interface ShowFrame {
  readonly style: Style;
  /** Null for as wide as it gets. */
  readonly columns: number | null;
  readonly nowMs: number;
}

// Enough to tell how it went; `--json` has the rest.
const sessionsMax = 8;
const commitsMax = 6;
const descriptionLinesMax = 3;
const labelWidth = 12;

/** `view show`: the whole state of an item, what matters first. Pure. */
export function renderItemView(view: ItemView, frame: ShowFrame): string {
  const parts = [
    renderHead(view, frame),
    renderRows(describe(view), frame),
    renderNodes(view, frame),
    renderSessions(view, frame),
    renderCommits(view, frame),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

type Row = readonly [label: string, value: string | null];

/** `label       value`, the value wrapped beside its label; null leaves the row out. */
function renderRows(rows: readonly Row[], { columns }: ShowFrame): string {
  return rows
    .flatMap(([label, value]) => {
      if (value === null) return [];
      const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(20, columns - labelWidth);
      const lines = safeText(value)
        .split('\n')
        .flatMap((line) => wrapLine(line, room));
      return lines.map((line, at) => `${padDisplay(at === 0 ? label : '', labelWidth)}${line}`.trimEnd() + '\n');
    })
    .join('');
}

/** The title, where the item stands and why, and what a person can do. */
function renderHead(view: ItemView, frame: ShowFrame): string {
  const { item } = view;
  const { style } = frame;
  const { stop } = item;
  const status = paintStatus(item, style)(safeLine(renderStatusLong(item)));
  const log = stop?.sessionId ?? view.sessions.at(-1)?.id ?? null;
  const next: readonly Row[] = [
    ['go on', view.nextCommand],
    ['or', stop?.kind === 'gate' ? `kraft item reject ${item.id} --note TEXT` : null],
    ['merge it', view.mergeCommand],
    ['its output', log === null ? null : `kraft view logs ${item.id} --session ${log}`],
  ];
  return `${style.bold(safeLine(item.title))}\n${status}\n${renderRows([...explain(item), ...next], frame)}`;
}

/** Facts that have rows of their own. */
const ownRows: ReadonlySet<string> = new Set(['doctor_row', 'refused_hosts', 'refused_hosts_left_out']);

function explain({ id, stop }: ItemView['item']): readonly Row[] {
  if (stop === null) return [];
  const facts = Object.entries(stop.facts).filter(([name]) => !ownRows.has(name));
  return [
    ['why', `${stop.reason} (${stop.kind})`],
    ['remedy', stop.remedy === '' ? null : stop.remedy],
    ['code', stop.code === null ? null : `${stop.code} (see \`kraft admin explain ${stop.code}\`)`],
    ['doctor', asText(stop.facts['doctor_row'])],
    ...renderRefusedHosts(stop.facts, id),
    ...renderFacts(Object.fromEntries(facts)),
  ];
}

function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function describe({ item, sessions, spend, openThreads }: ItemView): readonly Row[] {
  const description = item.description.trimEnd().split('\n');
  const more = description.length > descriptionLinesMax ? '\n…' : '';
  const base = item.baseCommit === null ? item.baseBranch : `${item.base ?? ''} ${item.baseCommit.slice(0, 12)}`.trim();
  return [
    ['id', `${item.id}, attempt ${item.attempt}`],
    ['task', item.description === '' ? null : description.slice(0, descriptionLinesMax).join('\n') + more],
    ['chain', `${item.chain} with ${item.harness}`],
    ['repository', item.repo],
    ['branch', `${item.branch}${base === null ? '' : ` from ${base}`}`],
    ['worktree', item.worktree],
    ['filed', `${renderLocalTime(item.createdAt)}, changed ${renderLocalTime(item.updatedAt)}`],
    ['used', spend === null ? null : renderSpend(spend)],
    ['threads', openThreads === 0 ? null : `${openThreads} open (see \`kraft view threads ${item.id}\`)`],
    ['limits', renderLimits(sessions.at(-1) ?? null)],
    ['told', item.steer === null ? null : `the next agent will read: ${item.steer}`],
    ['rejected', item.rejection === null ? null : `at ${item.rejection.gate}: ${item.rejection.note}`],
    ['fix loop', renderFixLoop(item.fixLoop)],
  ];
}

function renderSpend({ tokens, costUsd }: NonNullable<ItemView['spend']>): string {
  const parts = [
    ...(tokens === null ? [] : [`${renderTokens(tokens)} tokens`]),
    ...(costUsd === null ? [] : [renderCost(costUsd)]),
  ];
  return parts.join(', ');
}

/** The caps that its newest session runs, or ran, under. */
function renderLimits(session: SessionRow | null): string | null {
  if (session === null) return null;
  const { timeCapMs, memoryBytes } = session;
  const parts = [
    ...(timeCapMs === null ? [] : [`${renderDuration(timeCapMs)} a session`]),
    ...(memoryBytes === null ? [] : [`${renderSize(memoryBytes)} of memory`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function renderFixLoop(loop: ItemView['item']['fixLoop']): string | null {
  if (loop === null || loop.cycle === 0) return null;
  const doing = loop.phase === 'repair' ? 'repairing' : 'running again';
  return `${loop.nodeId}, repair ${loop.cycle}: ${doing}`;
}

const nodeWords: Readonly<Record<NodeState, string>> = {
  done: 'done',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'stopped',
  asks: 'asks you',
  to_come: 'to come',
  not_run: 'not run',
};

function renderNodes({ nodes }: ItemView, { style, columns }: ShowFrame): string {
  if (nodes.length === 0) return '';
  const rows = nodes.map((node): readonly Cell[] => [
    plain(node.kind === 'gate' ? `${node.id} (gate)` : node.id),
    { text: nodeWords[node.state], paint: paintNode(node, style) },
    plain(node.tasks.map((task) => renderTask(node, task)).join(', ')),
  ]);
  return renderTable(headings(['NODE', 'STATE', ['TASKS']]), rows, { columns, heading: (text) => style.bold(text) });
}

function paintNode({ state }: NodeView, style: Style): (text: string) => string {
  if (state === 'done') return (text) => style.green(text);
  if (state === 'stopped' || state === 'asks') return (text) => style.red(text);
  return state === 'running' || state === 'waiting' ? (text) => style.yellow(text) : (text) => text;
}

/** `main.agent done`: the task below its node, and how its newest session stands. */
function renderTask(node: NodeView, { path, status, skipped }: TaskView): string {
  const name = path.startsWith(`${node.id}.`) ? path.slice(node.id.length + 1) : path;
  if (skipped) return `${name} skipped`;
  return status === null ? name : `${name} ${status.replaceAll('_', ' ')}`;
}

/** Those of the attempt that counts; how many there were before is said. */
function renderSessions({ sessions }: ItemView, frame: ShowFrame): string {
  const attempt = sessions.at(-1)?.attempt;
  const current = sessions.filter((session) => session.attempt === attempt);
  if (current.length === 0) return '';
  const shown = current.slice(-sessionsMax);
  const columns = sessionColumns(frame).filter(({ cell, sparse }) => !sparse || shown.some((row) => cell(row) !== ''));
  const { style } = frame;
  const table = renderTable(
    columns,
    shown.map((session) => columns.map(({ cell }) => plain(cell(session)))),
    { columns: frame.columns, heading: (text) => style.bold(text) },
  );
  const before = sessions.length - shown.length;
  return before === 0 ? table : table + style.dim(`and ${before} before; --json has all\n`);
}

interface SessionColumn extends Column {
  readonly cell: (session: SessionRow) => string;
  /** Left out when no session has anything in it. */
  readonly sparse: boolean;
}

function sessionColumns({ nowMs }: ShowFrame): readonly SessionColumn[] {
  const fixed = { shrinks: false, sparse: false };
  return [
    { heading: 'SESSION', ...fixed, cell: ({ id }) => id },
    { heading: 'TASK', shrinks: true, sparse: false, cell: ({ task }) => task },
    { heading: 'STATE', ...fixed, cell: ({ status }) => status.replaceAll('_', ' ') },
    { heading: 'TOOK', ...fixed, cell: (session) => renderTook(session, nowMs) },
    { heading: 'EXIT', ...fixed, cell: ({ exitCode }) => (exitCode === null ? '' : String(exitCode)) },
    { heading: 'TOKENS', ...fixed, sparse: true, cell: (session) => renderUsed(session) },
    {
      heading: 'COST',
      ...fixed,
      sparse: true,
      cell: ({ costUsd }) => (costUsd === null ? '' : renderCost(costUsd)),
    },
    { heading: 'WHY', shrinks: true, sparse: true, cell: ({ reason }) => reason ?? '' },
  ];
}

function renderTook({ startedAt, endedAt, wallMs }: SessionRow, nowMs: number): string {
  if (wallMs !== null) return renderDuration(wallMs);
  if (startedAt === null) return '';
  if (endedAt === null) return renderElapsed(nowMs - Date.parse(startedAt));
  return renderDuration(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
}

function renderUsed({ inputTokens, cachedTokens, outputTokens }: SessionRow): string {
  const said = [inputTokens, cachedTokens, outputTokens].filter((count) => count !== null);
  return said.length === 0 ? '' : renderTokens(said.reduce((sum, count) => sum + count, 0));
}

function renderCommits({ commits }: ItemView, { style }: ShowFrame): string {
  if (commits.length === 0) return '';
  const lines = commits
    .slice(0, commitsMax)
    .map((each) => `  ${style.yellow(each.commit.slice(0, 12))} ${safeLine(each.subject)} (${safeLine(each.author)})`);
  const more = commits.length - commitsMax;
  if (more > 0) lines.push(style.dim(`  and ${more} before`));
  return `${style.bold('Commits')}\n${lines.join('\n')}\n`;
}

/** Headings of columns; one inside a list of its own gives way when the window is narrow. */
function headings(names: readonly (string | readonly [string])[]): readonly Column[] {
  return names.map((name) =>
    typeof name === 'string' ? { heading: name, shrinks: false } : { heading: name[0], shrinks: true },
  );
}
