import { usageErrors } from './errors.ts';

/** `--phase` as typed; the runtime phase where it is left out. Errors: OPTION_VALUE. */
export function readPhase(typed: string | null, command: string): 'install' | 'runtime' {
  if (typed === null || typed === 'runtime') return 'runtime';
  if (typed === 'install') return 'install';
  throw usageErrors.create('OPTION_VALUE', { command, option: '--phase', problem: 'takes `install` or `runtime`' });
}
