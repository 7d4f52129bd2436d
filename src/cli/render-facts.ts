/** Facts behind a stop that are shown; `--json` has all. */
const factsMax = 8;
const tailLinesMax = 8;
const textMax = 400;

/** The facts behind a stop, one row each; of text of many lines the end. What they hold is not made safe here. */
export function renderFacts(facts: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== '');
  return known
    .slice(0, factsMax)
    .map(
      ([name, value], at) => [at === 0 ? 'facts' : '', `${name.replaceAll('_', ' ')}: ${renderFact(value)}`] as const,
    );
}

function renderFact(value: unknown): string {
  if (typeof value !== 'string') return shorten(Array.isArray(value) ? renderList(value) : JSON.stringify(value));
  const lines = value.trimEnd().split('\n');
  if (lines.length === 1) return shorten(value);
  const shown = lines.slice(-tailLinesMax).map((line) => `  ${shorten(line)}`);
  return `${lines.length > shown.length ? ' …' : ''}\n${shown.join('\n')}`;
}

function renderList(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ');
}

function shorten(text: string): string {
  return text.length <= textMax ? text : `${text.slice(0, textMax)}…`;
}
