import { type ToldCounts, isAmount, moreCounts, noTokens, sumCounts, toCounts } from './counts.ts';
import { type JsonObject, numberAt, objectAt, textAt, valueAt } from './lines.ts';
import type { Tally, TokenCounts } from './tally.ts';

/** Messages whose usage is remembered: one message comes as several events, and those of subagents mix. */
const messagesKept = 64;

/**
 * `claude --output-format stream-json --verbose`. Each `assistant` event carries its message's usage so far (its output
 * counts only what had come by then); `result` carries the whole run's. After a resume its `total_cost_usd` and
 * `modelUsage` hold the earlier runs too, and `model_usage_since_last_result` this one alone.
 */
export function readClaudeStream(tally: Tally): (event: JsonObject) => void {
  const messages = new Map<string, TokenCounts>();
  let results = noTokens;
  const handlers: Readonly<Record<string, (event: JsonObject) => void>> = {
    system(event) {
      if (textAt(event, 'subtype') === 'init') tally.nameModel(textAt(event, 'model'));
    },
    assistant(event) {
      const message = objectAt(event, 'message');
      if (valueAt(event, 'is_api_error_message') === true) {
        if (textAt(event, 'error') === 'rate_limit') tally.limit('the provider refused it for a rate limit', null);
        return;
      }
      tally.nameModel(textAt(message, 'model'));
      tally.add(newUsage(messages, message));
      tally.unlimit();
    },
    rate_limit_event(event) {
      const info = objectAt(event, 'rate_limit_info');
      if (textAt(info, 'status') !== 'rejected') return;
      const resetsAt = numberAt(info, 'resetsAt');
      const kind = textAt(info, 'rateLimitType');
      tally.limit(
        kind === null ? 'the provider refused it for a rate limit' : `its limit ${kind} is used up`,
        resetsAt === null ? null : resetsAt * 1000,
      );
    },
    result(event) {
      results = sumCounts(results, toCounts(usageOf(objectAt(event, 'usage'))));
      tally.raise(results);
      readCost(tally, event);
      if (numberAt(event, 'api_error_status') === 429) tally.limit(textAt(event, 'result') ?? 'it was refused', null);
      else tally.unlimit();
    },
  };
  return (event) => {
    tally.nameSession(textAt(event, 'session_id'));
    const type = textAt(event, 'type') ?? '';
    if (Object.hasOwn(handlers, type)) handlers[type]?.(event);
  };
}

export function usageOf(usage: JsonObject): ToldCounts {
  return {
    input: numberAt(usage, 'input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cacheRead: numberAt(usage, 'cache_read_input_tokens'),
    cacheWrite: numberAt(usage, 'cache_creation_input_tokens'),
  };
}

/** What a message's usage adds to what its earlier events have told. */
function newUsage(messages: Map<string, TokenCounts>, message: JsonObject): TokenCounts {
  const usage = toCounts(usageOf(objectAt(message, 'usage')));
  const id = textAt(message, 'id');
  if (id === null || id.length > 200) return usage;
  const known = messages.get(id) ?? noTokens;
  const more = moreCounts(usage, known);
  messages.delete(id);
  messages.set(id, sumCounts(known, more));
  const [oldest] = messages.keys();
  if (messages.size > messagesKept && oldest !== undefined) messages.delete(oldest);
  return more;
}

function readCost(tally: Tally, event: JsonObject): void {
  const byModel = objectAt(event, 'model_usage_since_last_result');
  const costs = Object.keys(byModel).map((model) => numberAt(objectAt(byModel, model), 'costUSD'));
  if (costs.some(isAmount)) for (const usd of costs) tally.addCost(usd);
  else tally.raiseCost(numberAt(event, 'total_cost_usd'));
}
