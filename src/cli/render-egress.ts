import { renderBytes, safeLine } from '../base/index.ts';
import type { EgressView, SessionEgress } from '../compose/index.ts';
import { plain, renderTable, type Cell, type Column } from './render-table.ts';
import { renderLocalTime } from './render-time.ts';
import type { Style } from './terminal.ts';

const columns: readonly Column[] = [
  { heading: 'HOST', shrinks: true },
  { heading: 'ASKED', shrinks: false },
  { heading: 'ALLOWED', shrinks: false },
  { heading: 'REFUSED', shrinks: false },
  { heading: 'FAILED', shrinks: false },
  { heading: 'UP', shrinks: false },
  { heading: 'DOWN', shrinks: false },
  { heading: 'FIRST', shrinks: false },
  { heading: 'LAST', shrinks: false },
  { heading: 'WHY', shrinks: true },
];

/** `view egress`: a table for each session, and how to allow what was refused. Pure. */
export function renderEgress(view: EgressView, style: Style, width: number | null): string {
  if (view.sessions.length === 0) return 'No session of this item ran under a network policy.\n';
  const parts = view.sessions.map((session) => renderSession(session, style, width));
  const { length } = view.suggestions;
  if (length > 0) {
    const what = length === 1 ? 'One of the refused is' : `${length} of the refused are`;
    parts.push(`${what} opened by an allow entry: kraft view egress ${view.itemId} --suggest\n`);
  }
  return parts.join('\n');
}

function renderSession(session: SessionEgress, style: Style, width: number | null): string {
  const { sessionId, task, phase, hosts, leftOut, dropped, malformed } = session;
  const head = `${style.bold(sessionId)}  ${safeLine(task ?? 'setup command')} (${phase})\n`;
  const rows = hosts.map((host) => toCells(host, style));
  const table = renderTable(columns, rows, { columns: width, heading: (text) => style.bold(text) });
  return [
    head,
    hosts.length > 0 ? table : malformed === 0 ? 'It asked for nothing.\n' : '',
    leftOut === 0 ? '' : style.dim(`and ${leftOut} more hosts\n`),
    malformed === 0 ? '' : style.dim(`and ${malformed} requests that were not understood\n`),
    dropped === 0 ? '' : style.dim(`and ${dropped} requests of which only the number was kept\n`),
  ].join('');
}

function toCells(row: SessionEgress['hosts'][number], style: Style): readonly Cell[] {
  const { asked, allowed, refused, failed, reason, bytesUp, bytesDown, firstAt, lastAt } = row;
  const host = row.host.includes(':') ? `[${row.host}]:${row.port}` : `${row.host}:${row.port}`;
  return [
    plain(host),
    plain(String(asked)),
    plain(String(allowed)),
    { text: String(refused), paint: refused === 0 ? (text) => text : (text) => style.red(text) },
    plain(String(failed)),
    plain(renderBytes(bytesUp)),
    plain(renderBytes(bytesDown)),
    plain(renderLocalTime(firstAt)),
    plain(renderLocalTime(lastAt)),
    plain(reason ?? ''),
  ];
}
