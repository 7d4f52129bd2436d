import { safeText } from '../../base/index.ts';
import { defineCommand, flag, itemArgument, jsonOption, type Io } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';

export const viewDiff = defineCommand({
  description:
    'Shows what the item’s branch changed since its base: what has been published into your repository, not what lies\nuncommitted in the worktree. On a terminal through $PAGER (less when unset).',
  arguments: [itemArgument],
  options: {
    stat: flag('Files with the number of changed lines'),
    'name-only': flag('Names of the changed files'),
    'no-pager': flag('Print at once'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view diff k7mq', does: 'The whole change.' },
    { line: 'kraft view diff k7mq --stat', does: 'Which files changed, and how much.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const command = 'kraft view diff';
    if (options.stat && options['name-only']) {
      throw usageErrors.create('OPTIONS_CONFLICT', { command, options: ['--stat', '--name-only'] });
    }
    const itemId = resolveItemId(parsed.arguments[0] ?? null, command, io);
    const format = options.stat ? 'stat' : options['name-only'] ? 'name-only' : 'patch';
    const diff = await openRemoteKraft(io).diff({ itemId, format });
    if (options.json) printJson(io, diff);
    else if (diff.text === '') io.err('Nothing has been committed on the branch.\n');
    else await printDiff(io, renderDiff(diff.text, io), options['no-pager'] || format !== 'patch');
    if (diff.truncated)
      io.err('The diff is longer than what is shown here; see the rest with git in the repository.\n');
    return exitCodes.ok;
  },
});

async function printDiff(io: Io, text: string, direct: boolean): Promise<void> {
  if (direct || !io.terminal.outIsTty) {
    io.out(text);
    return;
  }
  const { showInPager } = await import('../../compose/index.ts');
  if (!(await showInPager(text, io))) io.out(text);
}

function renderDiff(text: string, io: Io): string {
  const lines = safeText(text).split('\n');
  const painted = lines.map((line) => {
    if (line.startsWith('+') && !line.startsWith('+++')) return io.style.green(line);
    if (line.startsWith('-') && !line.startsWith('---')) return io.style.red(line);
    return /^(diff |@@ |\+\+\+ |--- )/.test(line) ? io.style.bold(line) : line;
  });
  return painted.join('\n').replace(/([^\n])$/, '$1\n');
}
