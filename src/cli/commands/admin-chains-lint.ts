import { safeLine } from '../../base/index.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';

export const adminChainsLint = defineCommand({
  description: 'Checks chain files and prints every problem with its file and line; exits 1 if there is one.',
  arguments: [{ name: 'FILE', required: false, many: true, help: 'Chain files; without one, every known chain' }],
  options: jsonOption,
  examples: [
    { line: 'kraft admin chains lint', does: 'Check the packaged chains and those in config/chains.' },
    { line: 'kraft admin chains lint ./release.yaml', does: 'Check one file before it is put there.' },
  ],
  async run(parsed, io) {
    const { openChains } = await import('../../compose/index.ts');
    const chains = await (await openChains(io)).lint(parsed.arguments.filter((file) => file !== null));
    const failed = chains.some(({ error }) => error !== null);
    if (parsed.options.json) {
      printJson(
        io,
        chains.map(({ name, error, unbuilt }) => ({ name, error: error?.report ?? null, unbuilt })),
      );
      return failed ? exitCodes.failed : exitCodes.ok;
    }
    for (const { name, error, unbuilt } of chains) {
      const problems = error === null ? [] : [error.report, ...error.report.others];
      for (const { message, remedy } of problems) io.out(`${safeLine(message)}\n    ${safeLine(remedy)}\n`);
      if (error === null) io.out(`${safeLine(name)}: ${io.style.green('ok')}\n`);
      for (const part of unbuilt) io.out(`    not built yet: ${safeLine(part)}\n`);
    }
    return failed ? exitCodes.failed : exitCodes.ok;
  },
});
