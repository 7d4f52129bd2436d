import type { Style, Terminal } from './terminal.ts';

/** One option of a verb. */
export interface OptionSpec {
  readonly kind: 'flag' | 'value';
  /** One letter, or null. */
  readonly short: string | null;
  /** Placeholder in help (`N`, `PATH`); null for a flag. */
  readonly value: string | null;
  readonly help: string;
}

export type Options = Readonly<Record<string, OptionSpec>>;

/** One argument without a dash. */
export interface ArgumentSpec {
  /** As printed in help: `TITLE`. */
  readonly name: string;
  readonly required: boolean;
  /** Takes everything that follows; only for the last one. */
  readonly many?: true;
  readonly help: string;
}

type ValueOf<S extends OptionSpec> = S['kind'] extends 'flag' ? boolean : string | null;

/** A parsed command line of one verb. */
export interface Parsed<O extends Options> {
  /** In the order of the verb's arguments; null where left out. */
  readonly arguments: readonly (string | null)[];
  readonly options: { readonly [Name in keyof O]: ValueOf<O[Name]> };
}

/** What a verb may touch of the outside world. */
export interface Io {
  /** Every variable of the environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Reads one of them. */
  readonly env: (name: string) => string | undefined;
  readonly cwd: string;
  readonly terminal: Terminal;
  readonly style: Style;
  /** Kraft's version. */
  readonly version: string;
  /** The umask of the person's shell; Kraft itself runs under 077. */
  readonly personUmask: number;
  out(text: string): void;
  err(text: string): void;
  /** Until what was printed has been taken: whatever prints without an end waits here, so that nothing heaps up. */
  flushed(): Promise<void>;
}

/** One verb: what it takes, how it is explained, what it does. Answers the exit code. */
export interface Command<O extends Options = Options> {
  /** One or more sentences under the usage line. */
  readonly description: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: O;
  /** Command lines that can be typed as they stand, each with what it does. */
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  // A method, so that a verb with its own options still is a Command.
  run(parsed: Parsed<O>, io: Io): Promise<number>;
}

/** Keeps the option names of a verb in its type. */
export function defineCommand<const O extends Options>(command: Command<O>): Command<O> {
  return command;
}

/** A flag. */
export function flag(help: string, short: string | null = null): OptionSpec & { readonly kind: 'flag' } {
  return { kind: 'flag', short, value: null, help };
}

/** An option with a value. */
export function valued(
  value: string,
  help: string,
  short: string | null = null,
): OptionSpec & { readonly kind: 'value' } {
  return { kind: 'value', short, value, help };
}

export const jsonOption = { json: flag('Print the payload as JSON') } as const;

export const itemArgument: ArgumentSpec = {
  name: 'ID',
  required: false,
  help: 'Item id or its beginning; may be left out inside the item’s worktree',
};
