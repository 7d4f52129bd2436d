import { usageErrors } from './errors.ts';
import { commandTable, groups, renderName, type CommandEntry } from './command-table.ts';
import { suggest } from './suggest.ts';

/** What a command line asks for, before its options are read. */
export type Asked =
  | { readonly kind: 'version' }
  /** Help of everything (`null`), of a group (`repo`, `admin images`) or of one verb. */
  | { readonly kind: 'help'; readonly about: CommandEntry | string | null }
  | { readonly kind: 'run'; readonly entry: CommandEntry; readonly args: readonly string[] };

const helpWords: ReadonlySet<string> = new Set(['help', '--help', '-h']);

/** Finds the verb. Bare `kraft` is `kraft admin start` (CC 5.1). Errors: COMMAND_UNKNOWN with the nearest verb. */
export function findCommand(argv: readonly string[]): Asked {
  const [first] = argv;
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === undefined) return findCommand(['admin', 'start']);
  if (helpWords.has(first)) return argv.length === 1 ? { kind: 'help', about: null } : findHelp(argv.slice(1));
  const entry = commandTable.find((each) => each.words.every((word, at) => argv[at] === word));
  if (entry === undefined) return findGroup(argv);
  const args = argv.slice(entry.words.length);
  const beforeDashes = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (beforeDashes.some((arg) => arg === '--help' || arg === '-h')) return { kind: 'help', about: entry };
  return { kind: 'run', entry, args };
}

function findHelp(words: readonly string[]): Asked {
  const entry = commandTable.find((each) => each.words.join(' ') === words.join(' '));
  return entry === undefined ? findGroup(words) : { kind: 'help', about: entry };
}

/** A group alone, or with a help word, shows its verbs; anything else in it is a mistake. */
function findGroup(argv: readonly string[]): Asked {
  const words = argv.filter((word) => !helpWords.has(word));
  const group = words.join(' ');
  if (commandTable.some((each) => `${each.words.join(' ')} `.startsWith(`${group} `))) {
    return { kind: 'help', about: group };
  }
  throw unknownCommand(words);
}

function unknownCommand(words: readonly string[]): Error {
  const [first = '', second] = words;
  const known = groups.some(({ name }) => name === first);
  const prefix = first === 'admin' && second === 'images' ? 'admin images' : first;
  const typed = words.slice(0, prefix === 'admin images' ? 3 : known ? 2 : 1).join(' ');
  return usageErrors.create('COMMAND_UNKNOWN', {
    typed: `kraft ${typed}`,
    meant: known ? meantVerb(words) : meantGroup(words),
    group: known ? `kraft ${prefix}` : 'kraft',
  });
}

function meantVerb(words: readonly string[]): string | null {
  const within = commandTable.filter((each) => each.words[0] === words[0]);
  const meant = suggest(
    words.slice(0, 3).join(' '),
    within.map((each) => each.words.join(' ')),
  );
  const shorter =
    meant ??
    suggest(
      words.slice(0, 2).join(' '),
      within.map((each) => each.words.join(' ')),
    );
  return shorter === null ? null : `kraft ${shorter}`;
}

/** `kraft list` means the one verb of that name; `kraft veiw` means the group. */
function meantGroup(words: readonly string[]): string | null {
  const [first = ''] = words;
  const named = commandTable.filter((each) => each.words.at(-1) === first);
  const [only] = named;
  if (only !== undefined && named.length === 1) return renderName(only);
  const group = suggest(
    first,
    groups.map(({ name }) => name),
  );
  if (group === null) return null;
  const entry = commandTable.find((each) => each.words.join(' ') === [group, ...words.slice(1, 2)].join(' '));
  return entry === undefined ? `kraft ${group}` : renderName(entry);
}
