import { defineCommand, flag, itemArgument, jsonOption, type Io } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderDiff, renderDiffNotes } from '../render-diff.ts';

export const viewDiff = defineCommand({
  description:
    'Shows what the item’s branch changed since its base: what has been published into your repository, not what lies\nuncommitted in the worktree. Untracked files of the worktree are listed beside it. On a terminal in colour and through\n$KRAFT_PAGER, $PAGER or less; elsewhere the diff alone is standard output, and the rest standard error.',
  arguments: [itemArgument],
  options: {
    stat: flag('Files with the number of changed lines'),
    'name-only': flag('Names of the changed files'),
    'ignore-whitespace': flag('Leave out what differs in white space alone', 'w'),
    'no-pager': flag('Print at once'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view diff k7mq', does: 'The whole change.' },
    { line: 'kraft view diff k7mq --stat', does: 'Which files changed, and how much.' },
    { line: 'kraft view diff k7mq -w --no-pager', does: 'The change without re-indented lines, printed at once.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const command = 'kraft view diff';
    if (options.stat && options['name-only']) {
      throw usageErrors.create('OPTIONS_CONFLICT', { command, options: ['--stat', '--name-only'] });
    }
    const itemId = resolveItemId(parsed.arguments[0] ?? null, command, io);
    const format = options.stat ? 'stat' : options['name-only'] ? 'name-only' : 'patch';
    const kraft = openRemoteKraft(io);
    const diff = await kraft.diff({ itemId, format, ignoreWhitespace: options['ignore-whitespace'] });
    if (options.json) {
      printJson(io, diff);
      return exitCodes.ok;
    }
    const text = renderDiff(diff.text, format, io.style);
    if (text === '') io.err('The branch changes nothing yet.\n');
    const notes = renderDiffNotes(diff, io.style);
    if (io.terminal.outIsTty)
      await printOnTerminal(io, text + (text === '' || notes === '' ? '' : '\n') + notes, options);
    else {
      io.out(text);
      await io.flushed();
      io.err(notes);
    }
    return exitCodes.ok;
  },
});

async function printOnTerminal(io: Io, text: string, options: { readonly 'no-pager': boolean }): Promise<void> {
  if (text === '') return;
  if (!options['no-pager']) {
    const { showInPager } = await import('../../compose/index.ts');
    if (await showInPager(text, io)) return;
  }
  io.out(text);
}
