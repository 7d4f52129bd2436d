import { defineCommand, itemArgument, jsonOption, valued, type Command } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { resolveItemId } from './item-id.ts';
import { printJson } from './print-json.ts';
import { openRemoteKraft } from './remote-kraft.ts';
import { renderActed } from './render-item.ts';

/** What tells one verb on an item from another. */
export interface ItemAction {
  readonly verb: 'start' | 'pause';
  /** `Started`: begins the sentence that is printed. */
  readonly done: string;
  readonly description: string;
  readonly example: string;
}

/** A verb that asks one thing of one item and says where the item then stands. */
export function defineItemAction(action: ItemAction): Command<typeof jsonOption> {
  const command = `kraft item ${action.verb}`;
  return defineCommand({
    description: action.description,
    arguments: [itemArgument],
    options: jsonOption,
    examples: [
      { line: `${command} k7mq`, does: action.example },
      { line: `${command} --json`, does: 'The item whose worktree is the working directory, answered as JSON.' },
    ],
    async run(parsed, io) {
      const id = resolveItemId(parsed.arguments[0] ?? null, command, io);
      const view = await openRemoteKraft(io)[`${action.verb}Item`](id);
      if (parsed.options.json) printJson(io, view);
      else io.out(renderActed(action.done, view));
      return exitCodes.ok;
    },
  });
}

/** Words for the next agent, with a verb that takes an item up again. */
export const steerOption = { steer: valued('TEXT', 'Words for the next agent, given to it once', 's') } as const;
