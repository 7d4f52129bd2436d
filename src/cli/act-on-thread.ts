import { defineCommand, jsonOption, type ArgumentSpec, type Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { printJson } from './print-json.ts';
import { openRemoteKraft } from './remote-kraft.ts';
import { renderThreadActed } from './render-threads.ts';

export const threadArgument: ArgumentSpec = {
  name: 'THREAD',
  required: true,
  help: 'Thread id or its beginning, as `kraft view threads` shows it',
};

/** A verb that resolves a thread or reopens it. */
export function defineThreadAction(action: {
  readonly verb: 'resolve' | 'reopen';
  readonly done: string;
  readonly description: string;
}): Command<typeof jsonOption> {
  return defineCommand({
    description: action.description,
    arguments: [threadArgument],
    options: jsonOption,
    examples: [
      { line: `kraft item ${action.verb} q4mz`, does: 'The thread whose id starts with q4mz.' },
      { line: `kraft item ${action.verb} q4mz --json`, does: 'The same, answered as JSON.' },
    ],
    async run(parsed, io) {
      const status = action.verb === 'resolve' ? 'resolved' : 'open';
      const thread = await openRemoteKraft(io).setThread({ threadId: parsed.arguments[0] ?? '', status });
      if (parsed.options.json) printJson(io, thread);
      else io.out(renderThreadActed(action.done, thread));
      return exitCodes.ok;
    },
  });
}
