import type { ReviewOutcome } from '../../compose/index.ts';
import { defineCommand, itemArgument, jsonOption, valued } from '../command.ts';
import { usageErrors } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { resolveItemId } from '../item-id.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderReview } from '../render-threads.ts';
import { requireOption } from '../require-option.ts';

const command = 'kraft item review';

const outcomes: Readonly<Record<string, ReviewOutcome>> = {
  comment: 'comment',
  approve: 'approve',
  'request-changes': 'request_changes',
};

export const itemReview = defineCommand({
  description:
    'Submits the drafts of your review threads. `approve` and `request-changes` also answer the gate that the item waits\nat, as `kraft item approve` and `kraft item reject` do; `comment` answers none.',
  arguments: [itemArgument],
  options: {
    outcome: valued('OUTCOME', 'comment, approve or request-changes; required'),
    body: valued('TEXT', 'The note to the gate; required for request-changes', 'b'),
    gate: valued('GATE', 'The gate that is meant; refused when the item waits at another'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft item review k7mq --outcome comment', does: 'Submit what you commented, and leave the gate open.' },
    {
      line: 'kraft item review k7mq --outcome request-changes --body "See the comments."',
      does: 'Submit it and send the item back.',
    },
  ],
  async run({ arguments: [id], options }, io) {
    const itemId = resolveItemId(id ?? null, command, io);
    const outcome = readOutcome(requireOption(options.outcome, '--outcome', command));
    const { gate } = options;
    const body = outcome === 'request_changes' ? requireOption(options.body, '--body', command) : options.body;
    const answer = await openRemoteKraft(io).reviewItem({ itemId, outcome, gate, body });
    if (options.json) printJson(io, answer);
    else io.out(renderReview(answer));
    return exitCodes.ok;
  },
});

function readOutcome(typed: string): ReviewOutcome {
  const outcome = Object.hasOwn(outcomes, typed) ? outcomes[typed] : undefined;
  if (outcome !== undefined) return outcome;
  const problem = `takes ${Object.keys(outcomes).join(', ')}`;
  throw usageErrors.create('OPTION_VALUE', { command, option: '--outcome', problem });
}
