import { steerOption } from '../act-on-item.ts';
import { defineCommand, flag, itemArgument, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

const command = 'kraft item retry';

export const itemRetry = defineCommand({
  description:
    'Tries again what stopped for a person, from the beginning of the node where it stopped. First mend what\n`kraft view show` names as the reason: configuration and chain are taken as they are now. Worktree and commits stay;\ngates behind the point have to be answered anew. What `--steer` says is given once, to the next agent that begins.',
  arguments: [itemArgument],
  options: {
    path: valued('PATH', 'Where to go on instead, at or before that node: node, node.step or node.step.task', 'p'),
    restart: flag('Go on from the first node'),
    ...steerOption,
    ...jsonOption,
  },
  examples: [
    { line: 'kraft item retry k7mq', does: 'Try the stopped item again.' },
    {
      line: 'kraft item retry k7mq --path verification.main.tests',
      does: 'Run one task of its chain again, and what follows its step.',
    },
    {
      line: 'kraft item retry k7mq --restart --steer "The fixture is in test/data; do not make a new one."',
      does: 'From the first node, with a word for the agent.',
    },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    if (options.path !== null && options.restart) {
      throw usageErrors.create('OPTIONS_CONFLICT', { command, options: ['--path', '--restart'] });
    }
    const { path, restart, steer } = options;
    const view = await openRemoteKraft(io).retryItem(itemId, { path, restart, steer });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Retried', view));
    return exitCodes.ok;
  },
});
