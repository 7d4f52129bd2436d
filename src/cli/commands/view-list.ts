import { defineCommand, flag, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findScope } from '../find-scope.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderItemList } from '../render-item.ts';

const statuses = ['paused', 'queued', 'active', 'rate_limited', 'needs_human', 'completed', 'abandoned'] as const;

export const viewList = defineCommand({
  description:
    'Lists items, newest first: those of the repository that the working directory lies in, else all. Abandoned\nand archived items are left out.',
  arguments: [],
  options: {
    all: flag('Items of every repository, archived ones too', 'a'),
    repo: valued('P', 'Items of one repository, by path or name'),
    status: valued('S', `Items in one state: ${statuses.join(', ')}`),
    'include-abandoned': flag('Abandoned items too'),
    'include-archived': flag('Archived items too'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view list', does: 'Items of the repository at hand.' },
    { line: 'kraft view list --all --status needs_human', does: 'Everything that waits for a person.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const status = readStatus(options.status);
    const kraft = openRemoteKraft(io);
    const { repo, here } = await findScope(kraft, io, { command: 'kraft view list', ...options });
    const includeAbandoned = options['include-abandoned'] || status === 'abandoned';
    const includeArchived = options['include-archived'] || options.all;
    const listed = await kraft.listItems({ repo, includeAbandoned, includeArchived });
    const items = status === null ? listed : listed.filter((item) => item.status === status);
    if (options.json) printJson(io, items);
    else if (items.length === 0) io.out(renderNone(here));
    else io.out(renderItemList(items, io.style, io.terminal.columns));
    return exitCodes.ok;
  },
});

function readStatus(typed: string | null): (typeof statuses)[number] | null {
  if (typed === null) return null;
  const found = statuses.find((status) => status === typed);
  if (found !== undefined) return found;
  const problem = `takes one of ${statuses.join(', ')}`;
  throw usageErrors.create('OPTION_VALUE', { command: 'kraft view list', option: '--status', problem });
}

function renderNone(label: string | null): string {
  return label === null
    ? 'No items. File one with `kraft item create TITLE`.\n'
    : `No items of ${label}. \`kraft view list --all\` shows those of other repositories.\n`;
}
