import { usageOf } from './claude-stream-json.ts';
import { type JsonObject, objectAt, textAt, valueAt } from './lines.ts';
import { type Tally, soundsLimited } from './tally.ts';

/** `amp --stream-json -x`: one `assistant` event for each message, with its usage; no model, no price, no totals. */
export function readAmpStream(tally: Tally): (event: JsonObject) => void {
  return (event) => {
    tally.nameSession(textAt(event, 'session_id'));
    const type = textAt(event, 'type');
    if (type === 'assistant') {
      tally.add(usageOf(objectAt(objectAt(event, 'message'), 'usage')));
      tally.unlimit();
    }
    if (type !== 'result') return;
    const words = textAt(event, 'error') ?? '';
    if (valueAt(event, 'is_error') === true && soundsLimited(words)) tally.limit(words, null);
    else tally.unlimit();
  };
}
