import { defineCommand, flag, itemArgument, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderEgress } from '../render-egress.ts';

export const viewEgress = defineCommand({
  description:
    'Shows which hosts the sessions of an item asked for under the network policy, what was allowed and refused, and how\nmuch went through. `--suggest` prints the `kraft repo allow` lines that its refusals would need, and nothing else: read\nthem before you run them, for the names are the worker’s choice.',
  arguments: [itemArgument],
  options: {
    suggest: flag('Only the commands that would allow what was refused'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view egress k7mq', does: 'Every host, session by session.' },
    { line: 'kraft view egress k7mq --suggest', does: 'What would have to be allowed.' },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, 'kraft view egress', io);
    const view = await openRemoteKraft(io).egress({ itemId });
    const { suggestions } = view;
    if (options.json) printJson(io, options.suggest ? suggestions : view);
    else if (!options.suggest) io.out(renderEgress(view, io.style, io.terminal.columns));
    else if (suggestions.length === 0) io.err('Nothing was refused that an allow entry opens.\n');
    else io.out(suggestions.map(({ command }) => `${command}\n`).join(''));
    return exitCodes.ok;
  },
});
