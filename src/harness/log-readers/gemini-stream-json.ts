import { type JsonObject, numberAt, objectAt, textAt } from './lines.ts';
import { type Tally, soundsLimited } from './tally.ts';

/**
 * `gemini -o stream-json`. Its `result` tells the tokens of the run (not of a resumed one's earlier runs) and no price;
 * thinking is in the total alone. A quota that is used up is an error in words, without a time.
 */
export function readGeminiStream(tally: Tally): (event: JsonObject) => void {
  return (event) => {
    const type = textAt(event, 'type');
    if (type === 'init') {
      tally.nameSession(textAt(event, 'session_id'));
      tally.nameModel(textAt(event, 'model'));
    }
    if (type !== 'result') return;
    readStats(tally, objectAt(event, 'stats'));
    const words = textAt(objectAt(event, 'error'), 'message') ?? '';
    if (textAt(event, 'status') === 'error' && soundsLimited(words)) tally.limit(words, null);
    else tally.unlimit();
  };
}

function readStats(tally: Tally, stats: JsonObject): void {
  const output = numberAt(stats, 'output_tokens') ?? 0;
  const total = numberAt(stats, 'total_tokens');
  const whole = total === null ? 0 : total - (numberAt(stats, 'input_tokens') ?? 0);
  tally.raise({
    input: numberAt(stats, 'input'),
    output: Math.max(output, whole),
    cacheRead: numberAt(stats, 'cached'),
    cacheWrite: null,
  });
}
