import { safeLine, safeText } from '../base/index.ts';
import type { Io } from './command.ts';
import { printJsonLine } from './print-json.ts';
import type { RemoteKraft } from './remote-kraft.ts';

/** Whose output is read, and how it is printed. */
export interface LogReading {
  readonly kraft: RemoteKraft;
  readonly io: Io;
  readonly itemId: string;
  readonly json: boolean;
}

const waitMs = 25_000;
/** A line of an agent's structured log is long; enough to hold the lines that people ask for. */
const tailBytesPerLine = 4096;

/** Prints the end of one session's log: the newest session's when none is named. */
export async function printLog(
  reading: LogReading,
  from: { readonly sessionId: string | null; readonly lines: number },
): Promise<void> {
  const printer = createPrinter(reading);
  const { chunk, text } = await readTail(reading, from);
  printer.begin(chunk.sessionId);
  printer.dropped(chunk.droppedBytes);
  printer.add(text);
  printer.end();
}

/** Prints output as it comes, session after session, until the item neither runs nor waits for a slot. */
export async function followLog(reading: LogReading, lines: number): Promise<void> {
  const { kraft, itemId } = reading;
  const printed = new Set<string>();
  // Only the session that is the newest when the following begins is cut to its last lines.
  let tail: number | null = lines;
  for (let afterSeq = 0; ;) {
    const { item, sessions } = await kraft.showItem(itemId);
    const started = sessions.filter((session) => session.startedAt !== null || session.endedAt !== null);
    if (tail !== null) for (const session of started.slice(0, -1)) printed.add(session.id);
    const next = started.find((session) => !printed.has(session.id));
    if (next !== undefined) {
      printed.add(next.id);
      await followSession(reading, next.id, tail);
    } else if (item.status !== 'active' && item.status !== 'queued') return;
    else afterSeq = await waitForEvent(reading, afterSeq);
    tail = null;
  }
}

/** Waits until something happens to the item, or for a while; answers where to go on. */
async function waitForEvent({ kraft, itemId }: LogReading, afterSeq: number): Promise<number> {
  const rows = await kraft.followEvents({ itemId, type: null, afterSeq, waitMs });
  return rows.at(-1)?.seq ?? afterSeq;
}

async function followSession(reading: LogReading, sessionId: string, lines: number | null): Promise<void> {
  const printer = createPrinter(reading);
  printer.begin(sessionId);
  const first = await readTail(reading, { sessionId, lines: lines ?? Number.MAX_SAFE_INTEGER });
  printer.dropped(first.chunk.droppedBytes);
  printer.add(first.text);
  let { chunk } = first;
  while (!chunk.ended) {
    chunk = await reading.kraft.readLog({
      itemId: reading.itemId,
      sessionId,
      offset: chunk.nextOffset,
      tailBytes: null,
      waitMs,
    });
    printer.add(chunk.text);
  }
  printer.end();
}

async function readTail(
  reading: LogReading,
  from: { readonly sessionId: string | null; readonly lines: number },
): Promise<{ readonly chunk: Awaited<ReturnType<RemoteKraft['readLog']>>; readonly text: string }> {
  const whole = from.lines === Number.MAX_SAFE_INTEGER;
  const chunk = await reading.kraft.readLog({
    itemId: reading.itemId,
    sessionId: from.sessionId,
    offset: 0,
    tailBytes: whole ? null : from.lines * tailBytesPerLine,
    waitMs: 0,
  });
  return { chunk, text: whole ? chunk.text : lastLines(chunk.text, from.lines) };
}

/** The last lines of a text; a last line without its newline counts. */
export function lastLines(text: string, count: number): string {
  if (count === 0) return '';
  const ended = text.endsWith('\n');
  const lines = (ended ? text.slice(0, -1) : text).split('\n').slice(-count);
  return lines.join('\n') + (ended ? '\n' : '');
}

interface LogPrinter {
  begin(sessionId: string): void;
  dropped(bytes: number): void;
  add(text: string): void;
  end(): void;
}

/** Prints whole lines; what has no newline yet is held until it gets one or the log ends. */
function createPrinter({ io, json }: LogReading): LogPrinter {
  let session = '';
  let held = '';
  const line = (text: string): void => {
    if (json) printJsonLine(io, { session_id: session, text });
    else io.out(`${safeText(text)}\n`);
  };
  return {
    begin: (sessionId) => {
      session = sessionId;
      if (!json) io.err(io.style.dim(`session ${safeLine(sessionId)}\n`));
    },
    dropped: (bytes) => {
      if (bytes > 0) io.err(io.style.yellow(`${bytes} bytes in the middle of this log were dropped by its cap\n`));
    },
    add: (text) => {
      const lines = (held + text).split('\n');
      held = lines.pop() ?? '';
      for (const each of lines) line(each);
    },
    end: () => {
      if (held !== '') line(held);
      held = '';
    },
  };
}
