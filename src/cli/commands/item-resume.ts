import { steerOption } from '../act-on-item.ts';
import { defineCommand, itemArgument, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

export const itemResume = defineCommand({
  description:
    'Goes on with an item that was paused. An item that was only filed begins with `kraft item start`; one that stopped\nfor a person is taken up with `kraft item retry`. The sandbox of its repository is taken as repos.yaml has it now.\nWhat `--steer` says is given once, to the next agent that begins.',
  arguments: [itemArgument],
  options: { ...steerOption, ...jsonOption },
  examples: [
    { line: 'kraft item resume k7mq', does: 'Go on with the item whose id begins with k7mq.' },
    {
      line: 'kraft item resume k7mq --steer "Leave the old tests as they are."',
      does: 'The same, with a word for the agent.',
    },
    { line: 'kraft item resume --json', does: 'The item whose worktree is the working directory, answered as JSON.' },
  ],
  async run(parsed, io) {
    const id = resolveItemId(parsed.arguments[0] ?? null, 'kraft item resume', io);
    const view = await openRemoteKraft(io).resumeItem(id, { steer: parsed.options.steer });
    if (parsed.options.json) printJson(io, view);
    else io.out(renderActed('Resumed', view));
    return exitCodes.ok;
  },
});
