import type { KraftError } from '../base/index.ts';
import { usageErrors } from './errors.ts';

/** What the process exits with. 3 to 9 are for verbs whose refusal must be told from failure: 3 is what `check-host` found. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, refused: 3 } as const;

const usageCodes: ReadonlySet<string> = new Set(Object.keys(usageErrors.specs).map((code) => `KRAFT_${code}`));

/** 2 when the command line itself could not be understood, so that nothing was asked of anyone; else 1 (CC 5.1). */
export function exitCodeOf(error: KraftError): number {
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}
