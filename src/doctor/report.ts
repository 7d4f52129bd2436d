import type { ErrorReport } from '../base/index.ts';

export type DoctorOutcome = 'ok' | 'warn' | 'fail' | 'unknown' | 'skipped';

/** One row: what was looked at, what was seen, and the remedy where there is one. */
export interface DoctorRow {
  /** `engine`, `sandbox my-service`, … (CC 7). */
  readonly name: string;
  readonly outcome: DoctorOutcome;
  readonly detail: string;
  /** What to do; for `skipped`, what it needs. Null when there is nothing to do. */
  readonly remedy: string | null;
  /** The catalogued errors behind it: the same a launch would throw. */
  readonly errors: readonly ErrorReport[];
}

/** `ok` is false iff some row failed; warn, unknown and skipped do not fail it (CC 7). */
export interface DoctorReport {
  readonly ok: boolean;
  readonly rows: readonly DoctorRow[];
}
