import { safeText } from '../../base/index.ts';
import { defineCommand, flag, itemArgument, jsonOption } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderItemView } from '../render-item-view.ts';

export const viewShow = defineCommand({
  description:
    'Shows the whole state of one item: where it stands and why, the command that goes on, its chain node by node, the\nsessions of this attempt and its commits.',
  arguments: [itemArgument],
  options: {
    prompt: flag('The prompt that the agent gets, instead'),
    plan: flag('The plan of the next launch, instead: container, mounts, variables, limits'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft view show k7mq', does: 'The item whose id begins with k7mq.' },
    { line: 'kraft view show k7mq --prompt', does: 'What its agent is told.' },
  ],
  async run(parsed, io) {
    const { prompt, plan, json } = parsed.options;
    const command = 'kraft view show';
    if (prompt && plan) throw usageErrors.create('OPTIONS_CONFLICT', { command, options: ['--prompt', '--plan'] });
    const id = resolveItemId(parsed.arguments[0] ?? null, command, io);
    const kraft = openRemoteKraft(io);
    if (prompt) {
      const text = await kraft.prompt(id);
      if (json) printJson(io, { prompt: text });
      else io.out(`${safeText(text)}\n`);
    } else if (plan) {
      // A plan is data for programs and for the curious: one rendering serves both.
      printJson(io, await kraft.plan(id));
    } else {
      const view = await kraft.showItem(id);
      if (json) printJson(io, view);
      else io.out(renderItemView(view, { style: io.style, columns: io.terminal.columns, nowMs: Date.now() }));
    }
    return exitCodes.ok;
  },
});
