import { usageErrors } from './errors.ts';
import type { Command, Options, OptionSpec, Parsed } from './command.ts';
import { suggest } from './suggest.ts';

interface Reading {
  readonly command: string;
  readonly options: Options;
  readonly values: Record<string, boolean | string | null>;
  readonly rest: string[];
}

/**
 * Parses what follows a verb. Errors (all exit 2): OPTION_UNKNOWN with the nearest option, OPTION_VALUE,
 * ARGUMENT_MISSING, ARGUMENT_SURPLUS.
 */
export function parseArguments<O extends Options>(
  command: string,
  spec: Pick<Command<O>, 'arguments' | 'options'>,
  args: readonly string[],
): Parsed<O> {
  const values: Record<string, boolean | string | null> = {};
  for (const [name, option] of Object.entries(spec.options)) values[name] = option.kind === 'flag' ? false : null;
  const reading: Reading = { command, options: spec.options, values, rest: [] };
  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') {
      reading.rest.push(...queue.splice(0));
    } else if (arg.startsWith('-') && arg !== '-') {
      readOption(reading, arg, queue);
    } else reading.rest.push(arg);
  }
  return { arguments: placeArguments(command, spec.arguments, reading.rest), options: values as Parsed<O>['options'] };
}

function readOption(reading: Reading, arg: string, queue: string[]): void {
  const at = arg.indexOf('=');
  const typed = at === -1 ? arg : arg.slice(0, at);
  const inline = at === -1 ? null : arg.slice(at + 1);
  const [name, option] = findOption(reading, typed);
  if (reading.values[name] !== false && reading.values[name] !== null) {
    throw valueError(reading, typed, 'was given twice');
  }
  if (option.kind === 'flag') {
    if (inline !== null) throw valueError(reading, typed, 'takes no value');
    reading.values[name] = true;
    return;
  }
  reading.values[name] = inline ?? takeValue(reading, typed, option, queue);
}

function takeValue(reading: Reading, typed: string, option: OptionSpec, queue: string[]): string {
  const value = queue.shift();
  if (value === undefined) throw valueError(reading, typed, `needs a value: ${option.value ?? 'VALUE'}`);
  // A forgotten value would otherwise swallow the next option.
  if (value.startsWith('-') && value !== '-') {
    throw valueError(reading, typed, `needs a value; one that begins with a dash is written \`${typed}=${value}\``);
  }
  return value;
}

function valueError(reading: Reading, option: string, problem: string): Error {
  return usageErrors.create('OPTION_VALUE', { command: reading.command, option, problem });
}

function findOption(reading: Reading, typed: string): readonly [string, OptionSpec] {
  for (const [name, option] of Object.entries(reading.options)) {
    if (typed === `--${name}` || (option.short !== null && typed === `-${option.short}`)) return [name, option];
  }
  const meant = suggest(
    typed,
    Object.keys(reading.options).map((name) => `--${name}`),
  );
  throw usageErrors.create('OPTION_UNKNOWN', { command: reading.command, option: typed, meant });
}

function placeArguments(
  command: string,
  specs: Command['arguments'],
  given: readonly string[],
): readonly (string | null)[] {
  const many = specs.at(-1)?.many === true;
  const surplus = many ? undefined : given[specs.length];
  if (surplus !== undefined) throw usageErrors.create('ARGUMENT_SURPLUS', { command, argument: surplus });
  // What is optional is left out first, also in front of what is required: `[ID] FILE:LINE`.
  const queue = [...given];
  let spare = given.length - specs.filter(({ required }) => required).length;
  const placed = specs.map((spec) => {
    if (!spec.required && spare-- <= 0) return null;
    const value = queue.shift();
    if (value === undefined) throw usageErrors.create('ARGUMENT_MISSING', { command, argument: spec.name });
    return value;
  });
  return [...placed, ...given.slice(specs.length)];
}
