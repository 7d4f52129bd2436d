const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/**
 * Makes text from repositories, agents and containers safe to print: control and bidi characters become visible
 * escapes (`\x1b`, `\u{202e}`). Newlines and tabs stay; use `safeLine` where a newline would forge a second line.
 */
export function safeText(text: string): string {
  return text.replace(unsafe, escapeChar);
}

/** As `safeText`, on one line: newlines and tabs are escaped too. */
export function safeLine(text: string): string {
  return safeText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function escapeChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Columns that the text takes on a terminal: wide graphemes count two, combining marks none of their own. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  // Made here because it brings ICU's tables into memory, which most processes never need.
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Pads to `columns` by display width, so that wide characters keep a table aligned. */
export function padDisplay(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}
