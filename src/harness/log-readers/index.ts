import type { LogReaderName } from '../schema.ts';
import { readAmpStream } from './amp-stream-json.ts';
import { readClaudeStream } from './claude-stream-json.ts';
import { readCodexJson } from './codex-json.ts';
import { readCursorStream } from './cursor-stream-json.ts';
import { readGeminiStream } from './gemini-stream-json.ts';
import { type JsonObject, parseObject } from './lines.ts';
import { readOpencodeJson } from './opencode-json.ts';
import type { LogReading, Tally } from './tally.ts';

/** Takes in one line of a product's output; it keeps no part of it. */
export type ReadLine = (line: Buffer) => void;

/** Opens the reader of one session's output; `before` is what the sessions that it goes on with have told. */
type OpenReader = (tally: Tally, before: LogReading | null) => ReadLine;

/** Log readers by the name that a harness file gives (CC 4.2). */
export const logReaders: Readonly<Record<LogReaderName, OpenReader>> = {
  'claude-stream-json': ofObjects(readClaudeStream),
  'codex-json': ofObjects(readCodexJson),
  'gemini-stream-json': ofObjects(readGeminiStream),
  'cursor-stream-json': ofObjects(readCursorStream),
  'opencode-json': readOpencodeJson,
  'amp-stream-json': ofObjects(readAmpStream),
};

/** Reads the lines that are JSON objects, and passes over every other. */
function ofObjects(open: (tally: Tally, before: LogReading | null) => (event: JsonObject) => void): OpenReader {
  return (tally, before) => {
    const read = open(tally, before);
    return (line) => {
      const event = parseObject(line);
      if (event !== null) read(event);
    };
  };
}
