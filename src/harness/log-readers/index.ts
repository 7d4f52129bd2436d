import type { LogReaderName } from '../schema.ts';
import type { JsonObject } from './lines.ts';
import type { Tally } from './tally.ts';

/** Takes in one object of a product's output. */
export type ReadEvent = (event: JsonObject) => void;

const notYet =
  (_tally: Tally): ReadEvent =>
  () =>
    undefined;

/** Log readers by the name that a harness file gives (CC 4.2). */
export const logReaders: Readonly<Record<LogReaderName, (tally: Tally) => ReadEvent>> = {
  'claude-stream-json': notYet,
  'codex-json': notYet,
  'cursor-stream-json': notYet,
  'opencode-json': notYet,
  'amp-stream-json': notYet,
};
