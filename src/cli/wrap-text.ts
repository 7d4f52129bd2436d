import { displayWidth } from '../base/index.ts';

/** Breaks a line at its blanks so that each part takes at most `columns`; a word that is longer stays whole, a line that fits as it is. */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (displayWidth(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && displayWidth(longer) > columns) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
