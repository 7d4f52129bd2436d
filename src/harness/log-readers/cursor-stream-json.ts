import { type JsonObject, numberAt, objectAt, textAt } from './lines.ts';
import type { Tally } from './tally.ts';

/** `agent -p --output-format stream-json`: its model in words, and in newer versions the run's usage with the result. */
export function readCursorStream(tally: Tally): (event: JsonObject) => void {
  return (event) => {
    tally.nameSession(textAt(event, 'session_id'));
    const type = textAt(event, 'type');
    if (type === 'system' && textAt(event, 'subtype') === 'init') tally.nameModel(textAt(event, 'model'));
    if (type !== 'result') return;
    const usage = objectAt(event, 'usage');
    tally.raise({
      input: numberAt(usage, 'inputTokens'),
      output: numberAt(usage, 'outputTokens'),
      cacheRead: numberAt(usage, 'cacheReadTokens'),
      cacheWrite: numberAt(usage, 'cacheWriteTokens'),
    });
  };
}
