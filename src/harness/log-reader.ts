import type { Harness } from './harness.ts';
import { logReaders } from './log-readers/index.ts';
import { LineSplitter } from './log-readers/lines.ts';
import { type LogReading, Tally } from './log-readers/tally.ts';

/** Reads a session's log as it grows. Bounded whatever is pushed, and nothing that is pushed makes it throw. */
export interface LogReader {
  /** The next bytes of the log, cut anywhere. */
  push(chunk: Uint8Array): void;
  readonly reading: LogReading;
}

/**
 * The reader of a harness's output; null when its usage comes from the result file. `before`: the sum of what the earlier
 * sessions of the agent's own session have told when this one goes on with it (`AgentOptions.resume`), null for a new one.
 * The reading is of this session alone.
 */
export function openLogReader(harness: Harness, before: LogReading | null): LogReader | null {
  const { usage } = harness.capabilities;
  if (usage.source !== 'envelope') return null;
  const lines = new LineSplitter();
  const tally = new Tally();
  const readLine = logReaders[usage.reader](tally, before);
  return {
    push(chunk) {
      lines.push(chunk, readLine);
    },
    get reading() {
      return tally.reading;
    },
  };
}
