import { safeLine, type KraftError } from '../base/index.ts';
import type { Style } from './terminal.ts';

/**
 * An error for people: the first problem on one line with the number of others, the remedy, and the code that
 * `kraft admin explain` takes.
 */
export function renderError(error: KraftError, style: Style): string {
  const { message, remedy, code, others } = error.report;
  const more = others.length === 0 ? '' : ` … and ${others.length} more (--json shows all)`;
  return [
    `${style.red('error:')} ${safeLine(message)}${more}`,
    `${style.bold('remedy:')} ${safeLine(remedy)}`,
    style.dim(`(${code})`),
    '',
  ].join('\n');
}

/** An error for programs, as the daemon sends it. */
export function renderErrorJson(error: KraftError, indent: number): string {
  return `${JSON.stringify({ outcome: 'error', ...error.report }, null, indent)}\n`;
}
