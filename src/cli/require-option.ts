import { usageErrors } from './errors.ts';

/** The value of an option that a verb cannot do without. Errors: ARGUMENT_MISSING. */
export function requireOption(typed: string | null, option: string, command: string): string {
  if (typed !== null) return typed;
  throw usageErrors.create('ARGUMENT_MISSING', { command, argument: `\`${option}\`` });
}
