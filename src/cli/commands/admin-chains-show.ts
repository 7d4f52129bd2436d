import { safeLine, safeText } from '../../base/index.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';

export const adminChainsShow = defineCommand({
  description:
    'Shows a chain with everything that it extends written out: its parts, the policy that holds at each, and what is not ' +
    'built yet. The policy of a repository tightens what is shown.',
  arguments: [{ name: 'ID', required: true, help: 'Id of a chain: the name of its file' }],
  options: jsonOption,
  examples: [{ line: 'kraft admin chains show quick-task', does: 'What an item on quick-task goes through.' }],
  async run(parsed, io) {
    const { openChains } = await import('../../compose/index.ts');
    const outline = await (await openChains(io)).show(parsed.arguments[0] ?? '');
    if (parsed.options.json) {
      printJson(io, outline);
      return exitCodes.ok;
    }
    io.out(`${io.style.bold(outline.id)}  ${io.style.dim(safeLine(outline.file))}\n`);
    if (outline.description !== '') io.out(`${safeText(outline.description)}\n`);
    for (const { level, name, kind, policy, unbuilt } of outline.parts) {
      io.out(`\n${level === 'chain' ? '' : `${level} `}${io.style.bold(name)}${kind === null ? '' : ` (${kind})`}\n`);
      for (const [key, value] of Object.entries(policy)) io.out(`    ${key}: ${safeLine(String(value))}\n`);
      for (const what of unbuilt) io.out(`    ${io.style.yellow('not built yet:')} ${safeLine(what)}\n`);
    }
    return exitCodes.ok;
  },
});
