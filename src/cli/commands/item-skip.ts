import { defineCommand, itemArgument, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

const command = 'kraft item skip';

export const itemSkip = defineCommand({
  description:
    'Passes over the node or gate at which an item has stopped, or over one step or task of it, and goes on behind it. A\ngate that is passed over counts as passed. A paused item stays paused; a running one has to be paused first. Parts\nwith `skippable: false` in their chain are not passed over.',
  arguments: [itemArgument],
  options: {
    note: valued('N', 'Why, for the record', 'n'),
    path: valued('PATH', 'A step or task of the node: node.step or node.step.task', 'p'),
    ...jsonOption,
  },
  examples: [
    {
      line: `${command} k7mq --note "Looked at by hand."`,
      does: 'Go on behind the node or gate where the item stopped.',
    },
    {
      line: `${command} k7mq --path verification.main.tests --note "The test server is down."`,
      does: 'Leave out one task.',
    },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    const { path, note } = options;
    if (note === null) throw usageErrors.create('ARGUMENT_MISSING', { command, argument: '`--note`' });
    const view = await openRemoteKraft(io).skipItem(itemId, { path, note });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Skipped ahead', view));
    return exitCodes.ok;
  },
});
