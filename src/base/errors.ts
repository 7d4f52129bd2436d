import { inspect } from 'node:util';
import { isSecret } from './secret.ts';

/** Who is to blame; decides colour, exit code and, for a launch, whether the item stops as a configuration error. */
export type ErrorKind = 'usage' | 'config' | 'environment' | 'denied' | 'limit' | 'upstream' | 'bug';

/** One row of a catalogue. Both sentences are required: an error that cannot say what to do has no entry. */
export interface ErrorSpec<P> {
  readonly kind: ErrorKind;
  /** What happened and why, in the user's terms. One or two sentences ending with a period. */
  readonly message: (params: P) => string;
  /** What to do now; names the command when there is one. */
  readonly remedy: (params: P) => string;
}

// `never` accepts every parameter type here; each row keeps its own through the const type parameter of defineErrors.
type AnySpec = ErrorSpec<never>;

/** The error value as programs see it (`--json`, daemon, doctor). Never holds a secret. */
export interface ErrorReport {
  /** Upper snake with the KRAFT_ prefix; permanent. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly remedy: string;
  /** Parameters of the message, for programs. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Further problems found in the same pass (a file with several faults); empty for a single fault. */
  readonly others: readonly ErrorReport[];
}

/** Every error that Kraft raises on purpose. Anything else that reaches the top is a bug of Kraft. */
export class KraftError extends Error {
  override readonly name = 'KraftError';
  readonly report: ErrorReport;

  constructor(report: ErrorReport, cause: unknown) {
    super(report.message, cause === undefined ? undefined : { cause });
    this.report = report;
  }
  get code(): string {
    return this.report.code;
  }
  get kind(): ErrorKind {
    return this.report.kind;
  }
  get remedy(): string {
    return this.report.remedy;
  }
}

export interface ErrorCatalogue<C extends Record<string, AnySpec>> {
  readonly specs: C;
  /** Builds the error value without throwing it (doctor shows it, a launch throws it). */
  create<K extends keyof C & string>(code: K, params: Parameters<C[K]['message']>[0], cause?: unknown): KraftError;
}

/** Declares a folder's catalogue. Codes are permanent; texts may improve. */
export function defineErrors<const C extends Record<string, AnySpec>>(specs: C): ErrorCatalogue<C> {
  return {
    specs,
    create(code, params, cause) {
      const spec = specs[code] as ErrorSpec<unknown> | undefined;
      if (spec === undefined) throw new TypeError(`no error ${code} in this catalogue`);
      return new KraftError(
        {
          code: `KRAFT_${code}`,
          kind: spec.kind,
          message: spec.message(params),
          remedy: spec.remedy(params),
          details: publicDetails(params),
          others: [],
        },
        cause,
      );
    },
  };
}

/** One error that carries several problems: prints as the first, `--json` has all. Preconditions: at least one. */
export function gatherErrors(problems: readonly [KraftError, ...KraftError[]]): KraftError {
  const [first, ...rest] = problems;
  // Flat: a problem may itself carry others (one file of several).
  const others = rest.flatMap(({ report }) => [{ ...report, others: [] }, ...report.others]);
  return new KraftError({ ...first.report, others: [...first.report.others, ...others] }, first.cause);
}

/** Whether `error` carries `code` (with or without the KRAFT_ prefix). */
export function hasCode(error: unknown, code: string): error is KraftError {
  return error instanceof KraftError && (error.code === code || error.code === `KRAFT_${code}`);
}

const baseErrors = defineErrors({
  BUG: {
    kind: 'bug',
    message: (p: { what: string }) => `Kraft met a fault of its own: ${p.what}.`,
    remedy: () => 'Please report it with the output of `kraft admin doctor --json`.',
  },
});

export { baseErrors };

/** Any thrown value as a KraftError; what is not catalogued becomes kind `bug` with the cause kept. */
export function asKraftError(error: unknown): KraftError {
  if (error instanceof KraftError) return error;
  return baseErrors.create('BUG', { what: causeChain(error) }, error);
}

function causeChain(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && parts.length < 8;) {
    parts.push(
      at instanceof Error
        ? `${at.name}: ${at.message}`
        : typeof at === 'string'
          ? at
          : inspect(at, { breakLength: Infinity }),
    );
    at = at instanceof Error ? at.cause : undefined;
  }
  return parts.join(' <- ');
}

function publicDetails(params: unknown): Record<string, unknown> {
  if (typeof params !== 'object' || params === null) return {};
  return Object.fromEntries(Object.entries(params).map(([k, v]) => [k, isSecret(v) ? String(v) : (v as unknown)]));
}
