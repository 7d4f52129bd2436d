/** What of the outside world an opened Kraft goes by. */
export interface Environment {
  /** Every variable. */
  readonly variables: Readonly<Record<string, string>>;
  /** Relative paths among them are taken from here. */
  readonly cwd: string;
  /** Kraft's own version. */
  readonly version: string;
  /** The person's umask: git calls that write into their repositories run under it. */
  readonly personUmask: number;
}

/** Reads one variable. */
export function readerOf({ variables }: Pick<Environment, 'variables'>): (name: string) => string | undefined {
  return (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
}
