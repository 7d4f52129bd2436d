import { defineCommand } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandTable } from '../command-table.ts';
import { renderCompletion, shells, type CompletionEntry } from '../render-completion.ts';

export const adminCompletion = defineCommand({
  description: 'Prints a completion script for a shell: groups, verbs and options.',
  arguments: [{ name: 'SHELL', required: true, help: 'bash, zsh or fish' }],
  options: {},
  examples: [
    { line: 'source <(kraft admin completion bash)', does: 'In ~/.bashrc.' },
    { line: 'kraft admin completion fish > ~/.config/fish/completions/kraft.fish', does: 'For fish.' },
  ],
  async run(parsed, io) {
    const shell = shells.find((each) => each === parsed.arguments[0]);
    if (shell === undefined) {
      const problem = `takes one of ${shells.join(', ')}`;
      throw usageErrors.create('OPTION_VALUE', { command: 'kraft admin completion', option: 'SHELL', problem });
    }
    const entries: CompletionEntry[] = [];
    for (const { words, summary, load } of commandTable) {
      const { options } = await load();
      entries.push({ words, summary, options: Object.keys(options).map((name) => `--${name}`) });
    }
    io.out(renderCompletion(shell, entries));
    return exitCodes.ok;
  },
});
