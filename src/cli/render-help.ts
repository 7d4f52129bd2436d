import { padDisplay } from '../base/index.ts';
import type { Command } from './command.ts';
import { commandTable, groups, renderName, type CommandEntry } from './command-table.ts';

/** `kraft --help`. */
export function renderOverview(version: string): string {
  const lines = [
    `kraft ${version} runs coding agents in containers, each on its own branch of your repository.`,
    '',
    'Usage: kraft GROUP VERB [ARGUMENTS] [OPTIONS]',
    '       kraft                 start the daemon here, like `kraft admin start`',
    '       kraft --version',
  ];
  for (const group of groups) lines.push('', `${group.summary}:`, ...renderEntries(entriesOf(group.name)));
  lines.push(
    '',
    'A first item:',
    '  kraft admin images build',
    '  kraft repo connect ~/code/my-service',
    '  kraft admin start --detach',
    '  kraft item create "Mend the rounding of prices" --repo ~/code/my-service --autostart',
    '',
    '`kraft GROUP VERB --help` explains a verb and shows examples.',
  );
  return `${lines.join('\n')}\n`;
}

/** `kraft repo --help`: the verbs of one group. */
export function renderGroup(group: string): string {
  const summary = groups.find(({ name }) => name === group.split(' ')[0])?.summary ?? '';
  const lines = [`Usage: kraft ${group} VERB [ARGUMENTS] [OPTIONS]`, '', `${summary}:`];
  lines.push(...renderEntries(entriesOf(group)), '', `\`kraft ${group} VERB --help\` explains a verb.`);
  return `${lines.join('\n')}\n`;
}

function entriesOf(group: string): readonly CommandEntry[] {
  return commandTable.filter((each) => `${each.words.join(' ')} `.startsWith(`${group} `));
}

function renderEntries(entries: readonly CommandEntry[]): readonly string[] {
  return entries.map((each) => `  ${padDisplay(renderName(each), 27)}${each.summary}`);
}

/** `kraft item create [OPTIONS] TITLE`: the line that says how a verb is typed. */
export function renderUsage(entry: CommandEntry, command: Command): string {
  const parts = [renderName(entry)];
  for (const { name, required, many } of command.arguments) {
    const typed = many === true ? `${name}…` : name;
    parts.push(required ? typed : `[${typed}]`);
  }
  for (const [name, option] of Object.entries(command.options)) {
    parts.push(option.value === null ? `[--${name}]` : `[--${name} ${option.value}]`);
  }
  return parts.join(' ');
}

/** `kraft repo connect --help`. */
export function renderCommandHelp(entry: CommandEntry, command: Command): string {
  const lines = [`Usage: ${renderUsage(entry, command)}`, '', command.description];
  const rows = command.arguments.map((each) => [each.name, each.help] as const);
  if (rows.length > 0) lines.push('', 'Arguments:', ...renderRows(rows));
  const options = Object.entries(command.options).map(([name, option]) => {
    const short = option.short === null ? '' : `-${option.short}, `;
    return [`${short}--${name}${option.value === null ? '' : ` ${option.value}`}`, option.help] as const;
  });
  lines.push('', 'Options:', ...renderRows([...options, ['-h, --help', 'Show this help'] as const]));
  lines.push('', 'Examples:');
  for (const example of command.examples) lines.push(`  ${example.line}`, `      ${example.does}`);
  return `${lines.join('\n')}\n`;
}

function renderRows(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, help]) => `  ${padDisplay(name, width)}${help}`);
}
