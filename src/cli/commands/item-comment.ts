import { defineCommand, itemArgument, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderThreadActed } from '../render-threads.ts';
import { requireOption } from '../require-option.ts';

const command = 'kraft item comment';

export const itemComment = defineCommand({
  description:
    'Comments on a line of what an item changed. The comment opens a review thread, which is a draft until a review, an\napproval or a rejection submits it.',
  arguments: [
    itemArgument,
    { name: 'FILE:LINE', required: true, help: 'Path inside the repository and line, counted from 1' },
  ],
  options: { body: valued('TEXT', 'What you want to say; required', 'b'), ...jsonOption },
  examples: [
    { line: 'kraft item comment k7mq src/price.ts:12 --body "Why not half to even?"', does: 'Comment on a line.' },
    {
      line: 'kraft item comment src/price.ts:12 --body "Why?" --json',
      does: 'Inside the item’s worktree, for scripts.',
    },
  ],
  async run({ arguments: [id, place], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    const { file, line } = readPlace(place ?? '');
    const body = requireOption(options.body, '--body', command);
    const thread = await openRemoteKraft(io).commentItem({ itemId, file, line, body });
    if (options.json) printJson(io, thread);
    else io.out(renderThreadActed('Commented on', thread));
    return exitCodes.ok;
  },
});

function readPlace(typed: string): { readonly file: string; readonly line: number } {
  const [, file, line] = /^(.+):([0-9]{1,9})$/s.exec(typed) ?? [];
  if (file !== undefined && line !== undefined) return { file, line: Number(line) };
  throw usageErrors.create('OPTION_VALUE', { command, option: 'FILE:LINE', problem: `is not \`${typed}\`` });
}
