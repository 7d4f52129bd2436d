import { defineCommand, itemArgument, jsonOption, valued } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

export const itemApprove = defineCommand({
  description:
    'Approves the gate that an item waits at; the item goes on behind it. Drafts of review threads are submitted with\nthe approval. Approving twice is approving once.',
  arguments: [itemArgument],
  options: {
    gate: valued('GATE', 'The gate that is meant; refused when the item waits at another'),
    note: valued('TEXT', 'Words for the record', 'n'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft item approve k7mq', does: 'Approve what the item waits for.' },
    { line: 'kraft item approve k7mq --gate local_review --json', does: 'This gate and no other, for scripts.' },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, 'kraft item approve', io);
    const view = await openRemoteKraft(io).approveGate({ itemId, gate: options.gate, note: options.note });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Approved', view));
    return exitCodes.ok;
  },
});
