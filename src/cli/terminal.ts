/** What is known of the terminal, decided once. */
export interface Terminal {
  /** Standard output is a terminal. */
  readonly outIsTty: boolean;
  /** Standard output is a terminal on which the cursor can be moved. */
  readonly movesCursor: boolean;
  /** Both ends are terminals that can show a question: only then is anything asked. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** Columns; null when output goes elsewhere. */
  readonly columns: number | null;
}

export interface TerminalFacts {
  readonly env: (name: string) => string | undefined;
  readonly stdinIsTty: boolean;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  readonly columns: number | undefined;
}

/** Decides colour and asking. FORCE_COLOR and NO_COLOR are followed when set and not empty; NO_COLOR wins. */
export function decideTerminal(facts: TerminalFacts): Terminal {
  const isSet = (name: string): boolean => (facts.env(name) ?? '') !== '';
  const dumb = facts.env('TERM') === 'dumb';
  const allTty = facts.stdinIsTty && facts.stdoutIsTty && facts.stderrIsTty;
  const forced = isSet('FORCE_COLOR') ? facts.env('FORCE_COLOR') !== '0' : null;
  return {
    outIsTty: facts.stdoutIsTty,
    movesCursor: facts.stdoutIsTty && !dumb,
    interactive: allTty && !dumb && !isSet('CI'),
    color: !isSet('NO_COLOR') && (forced ?? (facts.stdoutIsTty && !dumb)),
    columns: facts.stdoutIsTty && facts.columns ? facts.columns : null,
  };
}

/** Colour on top of words that say the same. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** The style of a terminal; without colour each function gives its text back. */
export function createStyle(color: boolean): Style {
  const wrap =
    (open: number, close: number) =>
    (text: string): string =>
      color ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39) };
}
