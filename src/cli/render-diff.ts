import { safeLine, safeText } from '../base/index.ts';
import type { Diff } from '../compose/index.ts';
import type { Style } from './terminal.ts';

/** A diff for people: control characters made visible, then coloured. */
export function renderDiff(text: string, format: 'patch' | 'stat' | 'name-only', style: Style): string {
  if (text === '') return '';
  const lines = safeText(text).replace(/\n$/, '').split('\n');
  const paint = format === 'patch' ? createPatchPainter(style) : format === 'stat' ? paintStat(style) : asItIs;
  return `${lines.map(paint).join('\n')}\n`;
}

const asItIs = (line: string): string => line;

/** Colours by what git says that a line is: inside a hunk, `--- x` is a line that was taken out. */
function createPatchPainter(style: Style): (line: string) => string {
  let oldLeft = 0;
  let newLeft = 0;
  return (line) => {
    if (oldLeft <= 0 && newLeft <= 0) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk === null) return /^(diff |index |--- |\+\+\+ )/.test(line) ? style.bold(line) : line;
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
      return style.dim(line);
    }
    if (line.startsWith('+')) {
      newLeft -= 1;
      return style.green(line);
    }
    if (line.startsWith('-')) {
      oldLeft -= 1;
      return style.red(line);
    }
    // "\ No newline at end of file" counts as no line.
    if (line.startsWith('\\')) return style.dim(line);
    oldLeft -= 1;
    newLeft -= 1;
    return line;
  };
}

/** The bars at the end of a line of `--stat`. */
function paintStat(style: Style): (line: string) => string {
  return (line) => {
    const parts = /^(.*\| +\d+ )(\+*)(-*)$/.exec(line);
    if (parts === null) return line;
    const [, head = '', added = '', removed = ''] = parts;
    return head + (added === '' ? '' : style.green(added)) + (removed === '' ? '' : style.red(removed));
  };
}

const untrackedMax = 40;

/** What stands beside a diff: files that are no part of it, and as the last line that it ends early. */
export function renderDiffNotes(diff: Diff, style: Style): string {
  const { untracked, untrackedCount, untrackedProblem } = diff;
  const lines: string[] = [];
  if (untracked.length > 0) {
    lines.push(style.bold('Untracked, in the worktree alone:'));
    lines.push(...untracked.slice(0, untrackedMax).map((path) => `  ${safeLine(path)}`));
    if (untrackedCount > untrackedMax) lines.push(`  and ${untrackedCount - untrackedMax} more`);
  }
  if (untrackedProblem !== null) {
    lines.push(style.yellow(`Whether files are untracked is not known: ${safeLine(untrackedProblem)}`));
  }
  if (diff.truncated) {
    const command = diff.command === null ? 'git diff' : safeLine(diff.command);
    lines.push(style.yellow(`The diff ends early here: it is longer than Kraft shows. All of it: ${command}`));
  }
  return lines.map((line) => `${line}\n`).join('');
}
