import { defineCommand, flag, jsonOption, valued } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readRepoOption } from '../find-repo.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderActed } from '../render-item.ts';

export const itemCreate = defineCommand({
  description:
    'Files a work item on a connected repository. It waits until it is started, unless `--autostart` is given.',
  arguments: [{ name: 'TITLE', required: true, help: 'What is to be done, in a few words' }],
  options: {
    description: valued('D', 'The task in full, for the agent', 'd'),
    repo: valued('P', 'Path or name of the repository (default: the one of the working directory)'),
    chain: valued('C', 'Chain to follow (default: the repository’s own)'),
    harness: valued('H', 'Agent to run: demo, claude, codex, gemini, or a profile of harnesses.yaml'),
    'base-branch': valued('B', 'Branch to start from (default: the repository’s default branch)'),
    autostart: flag('Start it at once'),
    ...jsonOption,
  },
  examples: [
    {
      line: 'kraft item create "Mend the rounding of prices" --description "Prices must round half to even."',
      does: 'File an item on the repository of the working directory.',
    },
    {
      line: 'kraft item create "Update the docs" --repo ~/code/my-service --harness claude --autostart',
      does: 'File it on another repository, for one agent, and start it.',
    },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const view = await openRemoteKraft(io).createItem({
      title: parsed.arguments[0] ?? '',
      description: options.description ?? '',
      repo: readRepoOption(options.repo ?? '.', io.cwd),
      chain: options.chain,
      harness: options.harness,
      baseBranch: options['base-branch'],
      autostart: options.autostart,
    });
    if (options.json) printJson(io, view);
    else io.out(renderActed('Filed', view));
    return exitCodes.ok;
  },
});
