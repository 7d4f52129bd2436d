import { displayWidth, padDisplay, safeLine } from '../base/index.ts';

/** One column: its heading and, per row, text and (coloured) rendering of that same text. */
export interface Column {
  readonly heading: string;
  /** Columns wider than the terminal give way here first. */
  readonly shrinks: boolean;
}

export interface Cell {
  /** Made safe before it is printed. */
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** A cell without colour. */
export function plain(text: string): Cell {
  return { text, paint: (each) => each };
}

/** A table whose columns stay aligned under wide characters; `columns` is the width to fit, null for as wide as it gets. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  fit: { readonly columns: number | null; readonly heading: (text: string) => string },
): string {
  const safe = rows.map((row) => row.map((cell) => ({ ...cell, text: safeLine(cell.text) })));
  const widths = columns.map((column, at) =>
    Math.max(displayWidth(column.heading), ...safe.map((row) => displayWidth(row[at]?.text ?? ''))),
  );
  if (fit.columns !== null) shrink(columns, widths, fit.columns);
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const text = cut(cell.text, width);
        // Padding stays outside the colour, and the last column has none.
        return cell.paint(text) + (at === cells.length - 1 ? '' : padDisplay(text, width).slice(text.length) + '  ');
      })
      .join('')
      .trimEnd();
  const headings = columns.map((column) => ({ text: column.heading, paint: fit.heading }));
  return `${[line(headings), ...safe.map(line)].join('\n')}\n`;
}

const narrowest = 8;

/** Takes from the widest column that may give, until the row fits or none can give more. */
function shrink(columns: readonly Column[], widths: number[], fit: number): void {
  const gaps = 2 * (columns.length - 1);
  for (let over = widths.reduce((sum, width) => sum + width, gaps) - fit; over > 0; over--) {
    let widest = -1;
    for (const [at, { shrinks }] of columns.entries()) {
      if (shrinks && (widths[at] ?? 0) > Math.max(narrowest, widths[widest] ?? 0)) widest = at;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

/** The width that a column cannot do without. */
export function leastWidth(column: Column, cells: readonly Cell[]): number {
  const widths = cells.map(({ text }) => displayWidth(safeLine(text)));
  const width = Math.max(displayWidth(column.heading), ...widths);
  return column.shrinks ? Math.min(width, narrowest) : width;
}

/** Cuts to a width in columns, never inside a character. */
function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let out = '';
  for (const char of text) {
    if (displayWidth(`${out}${char}…`) > width) break;
    out += char;
  }
  return `${out}…`;
}

/** Aligned `key  value` lines; a null value leaves its line out. */
export function renderBlock(rows: readonly (readonly [string, string | null])[]): string {
  const shown = rows.filter((row): row is readonly [string, string] => row[1] !== null);
  const width = Math.max(0, ...shown.map(([key]) => displayWidth(key))) + 2;
  return shown.map(([key, value]) => `${padDisplay(key, width)}${value}\n`).join('');
}
