import { defineCommand, itemArgument, jsonOption, valued } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';
import { requireOption } from '../require-option.ts';

const command = 'kraft item reject';

export const itemReject = defineCommand({
  description:
    'Sends an item back from the gate that it waits at. Until it is at the gate again, its agents read the note and every\nopen review thread; drafts are submitted with it. Worktree and commits stay.',
  arguments: [itemArgument],
  options: {
    note: valued('TEXT', 'What is to be done; required', 'n'),
    gate: valued('GATE', 'The gate that is meant; refused when the item waits at another'),
    node: valued('NODE', 'Node to go back to (default: what the gate says, else the nearest before it)'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft item reject k7mq --note "Round half to even, not up."', does: 'Send it back with what to do.' },
    {
      line: 'kraft item reject k7mq --note "The tests miss the empty basket." --node implementation',
      does: 'Back to one node of its chain.',
    },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    const note = requireOption(options.note, '--note', command);
    const { gate, node } = options;
    const view = await openRemoteKraft(io).rejectGate({ itemId, gate, note, node });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Sent back', view));
    return exitCodes.ok;
  },
});
