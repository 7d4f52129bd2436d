import { type TokenCounts, type LogReading, type Tally, soundsLimited } from './tally.ts';
import { type JsonObject, numberAt, objectAt, textAt } from './lines.ts';
import { moreCounts, noTokens, toCounts } from './counts.ts';

/**
 * `codex exec --json`. The usage of `turn.completed` is that of the whole thread: after a resume what its earlier runs have
 * taken is in it and is subtracted. Cached tokens are part of its input. It tells no model, no price, and until when it is
 * limited only as a time of day in words.
 */
export function readCodexJson(tally: Tally, before: LogReading | null): (event: JsonObject) => void {
  const earlier: TokenCounts =
    before === null
      ? noTokens
      : {
          input: before.inputTokens,
          output: before.outputTokens,
          cacheRead: before.cacheReadTokens,
          cacheWrite: before.cacheWriteTokens,
        };
  const fail = (words: string): void => {
    if (soundsLimited(words)) tally.limit(words, null);
    else tally.unlimit();
  };
  return (event) => {
    const type = textAt(event, 'type');
    if (type === 'thread.started') tally.nameSession(textAt(event, 'thread_id'));
    if (type === 'turn.completed') {
      tally.raise(moreCounts(readUsage(objectAt(event, 'usage')), earlier));
      tally.unlimit();
    }
    if (type === 'error') fail(textAt(event, 'message') ?? '');
    if (type === 'turn.failed') fail(textAt(objectAt(event, 'error'), 'message') ?? '');
  };
}

function readUsage(usage: JsonObject): TokenCounts {
  const told = toCounts({
    input: numberAt(usage, 'input_tokens'),
    output: numberAt(usage, 'output_tokens'),
    cacheRead: numberAt(usage, 'cached_input_tokens'),
    cacheWrite: numberAt(usage, 'cache_write_input_tokens'),
  });
  return { ...told, input: Math.max(0, told.input - told.cacheRead - told.cacheWrite) };
}
