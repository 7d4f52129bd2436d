import { type JsonObject, numberAt, objectAt, parseObject, textAt } from './lines.ts';
import { type Tally, soundsLimited } from './tally.ts';

/** Lines of its own log are short; nothing longer is looked through for words. */
const logLineMaxBytes = 16 * 1024;

/**
 * `opencode run --format json --print-logs --log-level ERROR`. Each `step_finish` tells what one answer took and cost; no
 * event names the model. Under a rate limit it waits by itself and says so in its log alone, which is no JSON.
 */
export function readOpencodeJson(tally: Tally): (line: Buffer) => void {
  return (line) => {
    const event = parseObject(line);
    if (event !== null) readEvent(tally, event);
    else if (line.length <= logLineMaxBytes) readLogLine(tally, line.toString('utf8'));
  };
}

function readEvent(tally: Tally, event: JsonObject): void {
  tally.nameSession(textAt(event, 'sessionID'));
  const type = textAt(event, 'type');
  if (type === 'error') {
    const error = objectAt(event, 'error');
    const words = textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'name') ?? '';
    if (numberAt(objectAt(error, 'data'), 'statusCode') === 429 || soundsLimited(words)) tally.limit(words, null);
    else tally.unlimit();
  }
  if (type !== 'step_finish') return;
  const part = objectAt(event, 'part');
  readTokens(tally, objectAt(part, 'tokens'));
  tally.addCost(numberAt(part, 'cost'));
  tally.unlimit();
}

function readTokens(tally: Tally, tokens: JsonObject): void {
  const cache = objectAt(tokens, 'cache');
  tally.add({
    input: numberAt(tokens, 'input'),
    output: (numberAt(tokens, 'output') ?? 0) + (numberAt(tokens, 'reasoning') ?? 0),
    cacheRead: numberAt(cache, 'read'),
    cacheWrite: numberAt(cache, 'write'),
  });
}

/** An error of the main agent; `small=true` is a side question, such as the session's title. */
function readLogLine(tally: Tally, line: string): void {
  if (!line.startsWith('timestamp=') || !line.includes(' level=ERROR ') || line.includes(' small=true ')) return;
  const words = /\berror\.error="(?<words>[^"]*)"/u.exec(line)?.groups?.['words'] ?? '';
  if (soundsLimited(words)) tally.limit(words, null);
}
