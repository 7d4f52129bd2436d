import { padDisplay, displayWidth, safeLine } from '../base/index.ts';
import type { DoctorOutcome, DoctorReport } from '../compose/index.ts';
import type { Style } from './terminal.ts';

const marks: Readonly<Record<DoctorOutcome, string>> = {
  ok: 'ok',
  warn: 'warn',
  fail: 'FAIL',
  unknown: 'unknown',
  skipped: 'skipped',
};

/** One row per check with its remedy under it, and a last line that counts them. */
export function renderDoctor(report: DoctorReport, style: Style): string {
  const width = Math.max(0, ...report.rows.map((row) => displayWidth(safeLine(row.name)))) + 2;
  const lines = report.rows.flatMap((row) => {
    const mark = paint(row.outcome, style)(marks[row.outcome]);
    const gap = ' '.repeat(9 - marks[row.outcome].length);
    const head = `${mark}${gap}${padDisplay(safeLine(row.name), width)}${safeLine(row.detail)}`;
    return row.remedy === null ? [head] : [head, `${' '.repeat(9)}${style.bold('remedy:')} ${safeLine(row.remedy)}`];
  });
  return `${[...lines, '', renderCount(report)].join('\n')}\n`;
}

function paint(outcome: DoctorOutcome, style: Style): (text: string) => string {
  if (outcome === 'ok') return (text) => style.green(text);
  if (outcome === 'fail') return (text) => style.red(text);
  return outcome === 'skipped' ? (text) => style.dim(text) : (text) => style.yellow(text);
}

function renderCount({ ok, rows }: DoctorReport): string {
  const counts = (Object.keys(marks) as DoctorOutcome[])
    .map((outcome) => ({ outcome, count: rows.filter((row) => row.outcome === outcome).length }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => `${count} ${outcome}`);
  return `${ok ? 'Nothing fails' : 'Something fails'}: ${counts.join(', ')}.`;
}
