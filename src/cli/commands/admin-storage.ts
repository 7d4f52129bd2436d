import { defineCommand, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderStorage } from '../render-storage.ts';

/** Looking takes as long as there are files; after this it is said what is waited for. */
const patienceMs = 1_000;

export const adminStorage = defineCommand({
  description:
    'Shows what each item holds on the disk: worktree, ref store, sandbox home, results and logs, and whether its branch is\nstill in the repository; then what belongs to no item. `kraft item archive` frees what an ended item holds.',
  arguments: [],
  options: jsonOption,
  examples: [
    { line: 'kraft admin storage', does: 'What every item of this home holds.' },
    { line: 'kraft admin storage --json', does: 'The same in bytes, for programs.' },
  ],
  async run(parsed, io) {
    const notice = setTimeout(() => {
      if (io.terminal.interactive) io.err('Looking at every file that items hold …\n');
    }, patienceMs);
    try {
      const report = await openRemoteKraft(io).storage();
      if (parsed.options.json) printJson(io, report);
      else io.out(renderStorage(report, io.style, io.terminal.columns));
      return exitCodes.ok;
    } finally {
      clearTimeout(notice);
    }
  },
});
