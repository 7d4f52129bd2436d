import { threadArgument } from '../act-on-thread.ts';
import { defineCommand, jsonOption, valued } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderThreadActed } from '../render-threads.ts';
import { requireOption } from '../require-option.ts';

const command = 'kraft item reply';

export const itemReply = defineCommand({
  description: 'Adds your words to a review thread.',
  arguments: [threadArgument],
  options: { body: valued('TEXT', 'What you want to say; required', 'b'), ...jsonOption },
  examples: [
    { line: 'kraft item reply q4mz --body "Half to even, please."', does: 'Reply in a thread.' },
    { line: 'kraft item reply q4mz --body "Done then." --json', does: 'The same, answered as JSON.' },
  ],
  async run({ arguments: [threadId], options }, io) {
    const body = requireOption(options.body, '--body', command);
    const thread = await openRemoteKraft(io).replyThread({ threadId: threadId ?? '', body });
    if (options.json) printJson(io, thread);
    else io.out(renderThreadActed('Replied on', thread));
    return exitCodes.ok;
  },
});
