import { asKraftError, type ErrorReport, type KraftError } from '../base/index.ts';
import type { DoctorOutcome, DoctorRow } from './report.ts';

/** One thing that a check saw. A row is made of one or more: all of its faults, never the first alone (PF-U10). */
export interface Finding {
  readonly outcome: DoctorOutcome;
  readonly detail: string;
  readonly remedy: string | null;
  readonly errors: readonly ErrorReport[];
}

/** Result of something that may fail with a catalogued error, kept as a value so that checks can go on. */
export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: KraftError };

/** Runs a step and keeps what it threw. */
export async function attempt<T>(step: () => Promise<T> | T): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await step() };
  } catch (error) {
    return { ok: false, error: asKraftError(error) };
  }
}

export function ok(detail: string): Finding {
  return { outcome: 'ok', detail, remedy: null, errors: [] };
}

/** Something that could not be looked at, and what would have to be there. */
export function skipped(detail: string, needs: string): Finding {
  return { outcome: 'skipped', detail, remedy: needs, errors: [] };
}

export function warn(error: KraftError): Finding {
  return fromError('warn', error);
}

export function fail(error: KraftError): Finding {
  return fromError('fail', error);
}

/** The question was asked and no answer could be read. */
export function unknown(error: KraftError): Finding {
  return fromError('unknown', error);
}

function fromError(outcome: DoctorOutcome, error: KraftError): Finding {
  const { others, ...first } = error.report;
  const all = [{ ...first, others: [] }, ...others];
  return {
    outcome,
    detail: all.map((e) => e.message).join(' '),
    remedy: unique(all.map((e) => e.remedy)).join(' '),
    errors: all,
  };
}

const severity: Readonly<Record<DoctorOutcome, number>> = { ok: 0, skipped: 1, warn: 2, unknown: 3, fail: 4 };

/**
 * One row out of everything that a check saw: the worst outcome, and every detail and remedy that goes with trouble. A
 * warning leaves true what was seen besides, so that is told too.
 */
export function toRow(name: string, findings: readonly Finding[]): DoctorRow {
  const outcome = findings.reduce<DoctorOutcome>(
    (worst, f) => (severity[f.outcome] > severity[worst] ? f.outcome : worst),
    'ok',
  );
  const told = outcome === 'ok' || outcome === 'warn' ? findings : findings.filter((f) => f.outcome !== 'ok');
  const remedies = unique(told.flatMap((f) => (f.remedy === null ? [] : [f.remedy])));
  return {
    name,
    outcome,
    detail: unique(told.map((f) => f.detail)).join(' '),
    remedy: remedies.length === 0 ? null : remedies.join(' '),
    errors: told.flatMap((f) => f.errors),
  };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
