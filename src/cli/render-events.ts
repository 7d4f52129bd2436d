import { safeLine } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import type { Style } from './terminal.ts';
import { renderLocalTime } from './render-time.ts';

/** One event on one line: when, whose, what, and its payload as `key=value`. */
export function renderEvent(row: EventRow, style: Style): string {
  const payload = Object.entries(row.payload)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}=${renderValue(value)}`)
    .join(' ');
  return (
    `${style.dim(renderLocalTime(row.created_at))} ${row.work_item_id} ${style.bold(row.type)} ${payload}`.trimEnd() +
    '\n'
  );
}

function renderValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(safeLine(text)) : safeLine(text);
}
