import { safeLine, safeText } from '../base/index.ts';
import type { LogChunk } from '../compose/index.ts';
import type { Io } from './command.ts';

/** A line of which nothing has been printed is held up to this many characters: a line may be a gigabyte. */
const heldMax = 1024 * 1024;

/** Prints one session's output as it comes. What it holds is bounded, whatever the output is. */
export interface LogPrinter {
  /** Prints a chunk, and what is missing before it. `asked` is the offset it was asked from, null for a tail. */
  add(chunk: LogChunk, asked: number | null): Promise<void>;
  /** Ends the last line, and says what else is known to be missing. */
  end(incomplete: IncompleteLog | null): Promise<void>;
}

/** The payload of `session_output_incomplete`. */
export interface IncompleteLog {
  readonly reason: string;
  readonly dropped_bytes: number | null;
}

/** Text for people, or one object a line with `json`. Everything that an agent wrote is made safe. */
export function createLogPrinter(io: Io, json: boolean, sessionId: string): LogPrinter {
  const lines = json ? jsonLines(io, sessionId) : textLines(io);
  let toldBytes = 0;
  const tell = (text: string): void => io.err(io.style.yellow(`${text}\n`));
  if (!json) io.err(io.style.dim(`session ${safeLine(sessionId)}\n`));
  return {
    add: async (chunk, asked) => {
      const lost = lostBefore(chunk, asked, toldBytes);
      if (lost > 0) {
        lines.close();
        tell(`${lost} bytes in the middle of this log were dropped by its cap`);
        toldBytes = chunk.droppedBytes;
      }
      if (chunk.shortened) tell('The lines before are left out: they are too long to look back at.');
      lines.add(chunk.text);
      await io.flushed();
    },
    end: async (incomplete) => {
      lines.close();
      if (incomplete !== null && !isTold(incomplete, toldBytes)) {
        tell(`This log is incomplete: ${safeLine(incomplete.reason)}`);
      }
      await io.flushed();
    },
  };
}

/** Of a tail all that the cap dropped from the log; of what is followed, what lies between two chunks. Each is told once. */
function lostBefore(chunk: LogChunk, asked: number | null, toldBytes: number): number {
  if (chunk.droppedBytes === toldBytes) return 0;
  return asked === null ? chunk.droppedBytes : chunk.startOffset - asked;
}

function isTold({ reason, dropped_bytes: droppedBytes }: IncompleteLog, toldBytes: number): boolean {
  // Several reasons are joined; the cap's own is one, and its bytes were told where they are missing.
  return droppedBytes !== null && toldBytes > 0 && !reason.includes('; ');
}

interface Lines {
  add(text: string): void;
  close(): void;
}

/** Prints at once: a line without an end needs nothing to be held. */
function textLines(io: Io): Lines {
  let isOpen = false;
  return {
    add: (text) => {
      if (text === '') return;
      io.out(safeText(text));
      isOpen = !text.endsWith('\n');
    },
    close: () => {
      if (isOpen) io.out('\n');
      isOpen = false;
    },
  };
}

/** One object for each line; a line that is longer than what is held comes in parts, each but the last `partial`. */
function jsonLines(io: Io, sessionId: string): Lines {
  let held = '';
  const render = (text: string, more: { readonly partial?: true } = {}): string =>
    `${JSON.stringify({ session_id: sessionId, text, ...more })}\n`;
  return {
    add: (text) => {
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      const whole = lines.map((line) => render(line)).join('');
      const part = held.length > heldMax ? render(held, { partial: true }) : '';
      if (part !== '') held = '';
      if (whole + part !== '') io.out(whole + part);
    },
    close: () => {
      if (held !== '') io.out(render(held));
      held = '';
    },
  };
}
