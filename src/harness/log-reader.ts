import type { Harness } from './harness.ts';
import { type ReadEvent, logReaders } from './log-readers/index.ts';
import { LineSplitter, parseObject } from './log-readers/lines.ts';
import { type LogReading, Tally } from './log-readers/tally.ts';

/** Reads a session's log as it grows. Bounded whatever is pushed, and nothing that is pushed makes it throw. */
export interface LogReader {
  /** The next bytes of the log, cut anywhere. */
  push(chunk: Uint8Array): void;
  readonly reading: LogReading;
}

/** The reader of a harness's output; null when its usage comes from the result file. */
export function openLogReader(harness: Harness): LogReader | null {
  const { usage } = harness.capabilities;
  if (usage.source !== 'envelope') return null;
  const lines = new LineSplitter();
  const tally = new Tally();
  const read: ReadEvent = logReaders[usage.reader](tally);
  return {
    push(chunk) {
      lines.push(chunk, (line) => {
        const event = parseObject(line);
        if (event !== null) read(event);
      });
    },
    get reading() {
      return tally.reading;
    },
  };
}
