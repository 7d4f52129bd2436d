import { defineCommand, flag, itemArgument, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderThreads } from '../render-threads.ts';

export const viewThreads = defineCommand({
  description: 'Shows the review threads of an item with everything that was said in them. Drafts are yours alone.',
  arguments: [itemArgument],
  options: { open: flag('Only those that are not resolved'), ...jsonOption },
  examples: [
    { line: 'kraft view threads k7mq', does: 'Every thread of the item.' },
    { line: 'kraft view threads k7mq --open --json', does: 'The open ones, as JSON.' },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, 'kraft view threads', io);
    const threads = await openRemoteKraft(io).threads({ itemId, openOnly: options.open });
    if (options.json) printJson(io, threads);
    else if (threads.length === 0) io.out('No threads. Open one with `kraft item comment ID FILE:LINE --body TEXT`.\n');
    else io.out(renderThreads(threads, io.style));
    return exitCodes.ok;
  },
});
