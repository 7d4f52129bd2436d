import { describe, expect, it } from 'vitest';
import { displayWidth, padDisplay, safeLine, safeText } from '../../src/base/index.ts';

describe('text from elsewhere', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['an escape sequence that clears the screen', '\u001b[2Jgone', '\\x1b[2Jgone'],
    ['a carriage return that overwrites the line', 'fake\rreal', 'fake\\x0dreal'],
    ['a backspace', 'a\bb', 'a\\x08b'],
    ['a NUL', 'a\0b', 'a\\x00b'],
    ['a C1 control', 'a\u009bb', 'a\\x9bb'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['an isolate', 'a\u2066b', 'a\\u{2066}b'],
    ['an Arabic letter mark', 'a\u061cb', 'a\\u{61c}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a byte order mark', '\ufeffa', '\\u{feff}a'],
    ['plain words of any script', 'Grüße, 世界, нет', 'Grüße, 世界, нет'],
    ['newlines and tabs', 'a\n\tb', 'a\n\tb'],
  ];
  it.each(cases)('is made safe to print: %s', (_what, raw, safe) => {
    expect(safeText(raw)).toBe(safe);
  });

  it('cannot forge a second line where one line is wanted', () => {
    expect(safeLine('one\n✓ all good\tyes\r')).toBe('one\\n✓ all good\\tyes\\x0d');
  });

  it('is the same when it is made safe twice', () => {
    const once = safeText('\u001b[31m\u202e');
    expect(safeText(once)).toBe(once);
  });
});

describe('columns', () => {
  it('count wide characters as two and combining marks as none', () => {
    expect([
      displayWidth('abc'),
      displayWidth('世界'),
      displayWidth('e\u0301'),
      displayWidth('👍'),
      displayWidth(''),
    ]).toEqual([3, 4, 1, 2, 0]);
  });

  it('stay aligned whatever the characters are', () => {
    const cells = ['abc', '世界', 'e\u0301x', '👍👍', 'ｆｕｌｌ'].map((text) => padDisplay(text, 10));
    expect(cells.map(displayWidth)).toEqual([10, 10, 10, 10, 10]);
  });

  it('are not cut when the text is longer', () => {
    expect(padDisplay('longer than three', 3)).toBe('longer than three');
  });
});
