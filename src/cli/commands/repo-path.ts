import { defineCommand, itemArgument } from '../command.ts';
import { cliErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { openRemoteKraft } from '../remote-kraft.ts';

export const repoPath = defineCommand({
  description: 'Prints exactly one line: the path of the item’s worktree.',
  arguments: [itemArgument],
  options: {},
  examples: [{ line: 'cd "$(kraft repo path k7mq)"', does: 'Go to the worktree of an item.' }],
  async run(parsed, io) {
    const id = resolveItemId(parsed.arguments[0] ?? null, 'kraft repo path', io);
    const { item } = await openRemoteKraft(io).showItem(id);
    if (item.worktree === null) throw cliErrors.create('WORKTREE_MISSING', { id: item.id, status: item.status });
    io.out(`${item.worktree}\n`);
    return exitCodes.ok;
  },
});
