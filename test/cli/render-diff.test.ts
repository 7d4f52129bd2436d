import { describe, expect, it } from 'vitest';
import { renderDiff, renderDiffNotes } from '../../src/cli/render-diff.ts';
import type { Style } from '../../src/cli/terminal.ts';
import { createStyle } from '../../src/cli/terminal.ts';

const plain = createStyle(false);
/** Names what would be coloured. */
const named: Style = {
  bold: (text) => `<bold>${text}`,
  dim: (text) => `<dim>${text}`,
  red: (text) => `<red>${text}`,
  green: (text) => `<green>${text}`,
  yellow: (text) => `<yellow>${text}`,
};

describe('renderDiff', () => {
  it('colours by what a line is, also one that looks like a header inside a hunk', () => {
    const text = [
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1,3 +1,3 @@ fn',
      ' same',
      '--- a comment of SQL',
      '+++ added',
      ' same',
      '\\ No newline at end of file',
      'diff --git a/y b/y',
      '@@ -1 +0,0 @@',
      '-gone',
      'Binary files a/z and b/z differ',
      '',
    ].join('\n');
    expect(renderDiff(text, 'patch', named).split('\n')).toEqual([
      '<bold>diff --git a/x b/x',
      '<bold>--- a/x',
      '<bold>+++ b/x',
      '<dim>@@ -1,3 +1,3 @@ fn',
      ' same',
      '<red>--- a comment of SQL',
      '<green>+++ added',
      ' same',
      '\\ No newline at end of file',
      '<bold>diff --git a/y b/y',
      '<dim>@@ -1 +0,0 @@',
      '<red>-gone',
      'Binary files a/z and b/z differ',
      '',
    ]);
  });

  it('colours the bars of --stat and leaves names alone', () => {
    expect(renderDiff(' a.txt | 12 ++--\n 1 file changed\n', 'stat', named)).toBe(
      ' a.txt | 12 <green>++<red>--\n 1 file changed\n',
    );
    expect(renderDiff('+odd\n-name\n', 'name-only', named)).toBe('+odd\n-name\n');
  });

  it.each(['patch', 'stat', 'name-only'] as const)('makes control and bidi characters visible in %s', (format) => {
    expect(renderDiff('+a\u001b[31m\u202eb\r\u0007\n', format, plain)).toBe('+a\\x1b[31m\\u{202e}b\\x0d\\x07\n');
  });
});

describe('renderDiffNotes', () => {
  const none = { text: '', truncated: false, command: null, untracked: [], untrackedCount: 0, untrackedProblem: null };

  it('says nothing where there is nothing to say', () => {
    expect(renderDiffNotes(none, plain)).toBe('');
  });

  it('lists some untracked files, counts the others, and says last that the diff ends early', () => {
    const untracked = Array.from({ length: 1000 }, (_, index) => `f${index}\nforged`);
    const notes = renderDiffNotes(
      { ...none, untracked, untrackedCount: 5000, truncated: true, command: 'git -C /r diff a b' },
      plain,
    );
    const lines = notes.trimEnd().split('\n');
    expect(lines).toHaveLength(43);
    expect(lines[1]).toBe('  f0\\nforged');
    expect(lines.at(-2)).toBe('  and 4960 more');
    expect(lines.at(-1)).toMatch(/ends early.*git -C \/r diff a b$/);
  });

  it('says when the worktree could not be read', () => {
    expect(renderDiffNotes({ ...none, untrackedProblem: 'its index cannot be read.' }, plain)).toContain(
      'not known: its index cannot be read.',
    );
  });
});
