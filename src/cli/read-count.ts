import { usageErrors } from './errors.ts';

/** A whole number that was typed, or null when the option was left out. Errors: OPTION_VALUE. */
export function readCount(typed: string | null, option: string, command: string): number | null {
  if (typed === null) return null;
  const count = Number(typed);
  if (/^[0-9]+$/.test(typed) && Number.isSafeInteger(count)) return count;
  throw usageErrors.create('OPTION_VALUE', { command, option, problem: 'takes a whole number' });
}
