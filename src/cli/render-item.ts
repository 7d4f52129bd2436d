import { safeLine } from '../base/index.ts';
import type { PublicItem, ItemView } from '../compose/index.ts';
import type { Style } from './terminal.ts';
import { paintStatus, renderStatus, renderStatusNow } from './render-status.ts';
import { plain, renderTable, type Cell } from './render-table.ts';
import { renderLocalTime } from './render-time.ts';

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

/** One sentence after an action: what was done, and where the item is now (CC 5.1). */
export function renderActed(done: string, view: ItemView): string {
  const { item } = view;
  const lines = [`${done} ${item.id}; the item is now ${renderStatusNow(item)}.`];
  if (item.stop !== null) lines.push(`${safeLine(item.stop.reason)} See \`kraft view show ${item.id}\`.`);
  else if (view.nextCommand !== null) lines.push(`Next: ${safeLine(view.nextCommand)}`);
  return `${lines.join('\n')}\n`;
}
