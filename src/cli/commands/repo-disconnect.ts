import { resolve } from 'node:path';
import { safeLine } from '../../base/index.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';

export const repoDisconnect = defineCommand({
  description:
    'Takes a repository out of repos.yaml. Its items keep the entry that they were filed with, and their worktrees stay.\nNeeds no daemon.',
  arguments: [{ name: 'PATH', required: false, help: 'The repository (default: the working directory)' }],
  options: jsonOption,
  examples: [{ line: 'kraft repo disconnect ~/code/my-service', does: 'File no more items on it.' }],
  async run(parsed, io) {
    const { openRepos } = await import('../../compose/index.ts');
    const gone = await (await openRepos(io)).disconnect(resolve(io.cwd, parsed.arguments[0] ?? '.'));
    if (parsed.options.json) printJson(io, gone);
    else io.out(`disconnected: ${safeLine(gone.path)}\n`);
    return exitCodes.ok;
  },
});
