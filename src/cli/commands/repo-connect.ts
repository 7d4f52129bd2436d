import { resolve } from 'node:path';
import { defineCommand, flag, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { renderConnect } from '../render-connect.ts';

export const repoConnect = defineCommand({
  description:
    'Connects a git repository: looks for its setup and test commands, and writes an entry with a sandbox and a network policy into repos.yaml. Agents and tests then reach only what an agent’s harness needs, and the setup command the registries of its tools, which are asked of npm, pip and the like on this machine.\nNothing of the repository is run or changed. Repeating it fills in only what is undecided. Needs no daemon.',
  arguments: [{ name: 'PATH', required: false, help: 'The repository (default: the working directory)' }],
  options: {
    'setup-command': valued('C', 'Prepares a fresh worktree; empty for none'),
    'test-command': valued('C', 'Runs the tests'),
    'no-tests': flag('The repository has no tests to run'),
    image: valued('REF', 'Image of the sandbox (default: Kraft’s worker image)'),
    'open-network': flag('Write no network policy: its containers reach everything'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft repo connect ~/code/my-service', does: 'Connect it with the commands that its files propose.' },
    {
      line: 'kraft repo connect . --setup-command "npm ci" --test-command "npm test"',
      does: 'Say both commands yourself.',
    },
    { line: 'kraft repo connect . --image ghcr.io/acme/agent:1', does: 'Run its items in an image of your own.' },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    if (options['no-tests'] && options['test-command'] !== null) {
      throw usageErrors.create('OPTIONS_CONFLICT', {
        command: 'kraft repo connect',
        options: ['--no-tests', '--test-command'],
      });
    }
    const { openRepos } = await import('../../compose/index.ts');
    const report = await (
      await openRepos(io)
    ).connect({
      path: resolve(io.cwd, parsed.arguments[0] ?? '.'),
      setupCommand: options['setup-command'],
      testCommand: options['no-tests'] ? '' : options['test-command'],
      image: options.image,
      openNetwork: options['open-network'],
    });
    if (options.json) printJson(io, report);
    else io.out(renderConnect(report, io.style));
    return exitCodes.ok;
  },
});
