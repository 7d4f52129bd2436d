import { safeLine } from '../../base/index.ts';
import type { ItemView } from '../../compose/index.ts';
import { defineCommand, flag, itemArgument, jsonOption } from '../command.ts';
import { confirm } from '../confirm.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

export const itemAbandon = defineCommand({
  description:
    'Gives an item up: ends its session, removes its worktree and its sandbox home. The branch goes too unless\nit has commits that no other branch, tag or remote has. On a terminal Kraft asks first.',
  arguments: [itemArgument],
  options: { yes: flag('Do not ask', 'y'), ...jsonOption },
  examples: [
    { line: 'kraft item abandon k7mq', does: 'Give the item up, after a question.' },
    { line: 'kraft item abandon k7mq --yes --json', does: 'Without a question, for scripts.' },
  ],
  async run(parsed, io) {
    const id = resolveItemId(parsed.arguments[0] ?? null, 'kraft item abandon', io);
    if (!parsed.options.yes)
      await confirm(io, `Abandoning ${id}`, 'Its worktree will be removed, with what lies uncommitted in it.');
    const view = await openRemoteKraft(io).abandonItem(id);
    if (parsed.options.json) printJson(io, view);
    else io.out(renderActed('Abandoned', view) + renderKept(view));
    return exitCodes.ok;
  },
});

/** What was committed is still there: said, so that nobody takes it for gone. */
function renderKept({ item, commits }: ItemView): string {
  if (commits.length === 0) return '';
  const count = `${commits.length} ${commits.length === 1 ? 'commit' : 'commits'}`;
  return `The branch ${safeLine(item.branch)} is kept, with ${count}.\n`;
}
