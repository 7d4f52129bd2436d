import type { LogChunk } from '../compose/index.ts';
import type { Io } from './command.ts';
import { createLogPrinter, type IncompleteLog } from './log-printer.ts';
import type { RemoteKraft } from './remote-kraft.ts';

/** Whose output is read, and how it is printed. */
export interface LogReading {
  readonly kraft: RemoteKraft;
  readonly io: Io;
  readonly itemId: string;
  readonly json: boolean;
}

const waitMs = 25_000;

/** Prints the end of one session's log as it now is: the newest session's when none is named. */
export async function printLog(
  reading: LogReading,
  from: { readonly sessionId: string | null; readonly lines: number },
): Promise<void> {
  const first = await read(reading, { sessionId: from.sessionId, tailLines: from.lines, waitMs: 0 });
  const { sessionId, sizeBytes } = first;
  const printer = createLogPrinter(reading.io, reading.json, sessionId);
  await printer.add(first, null);
  for (let chunk = first; !chunk.ended && chunk.text !== '' && chunk.nextOffset < sizeBytes;) {
    const asked = chunk.nextOffset;
    chunk = await read(reading, { sessionId, offset: asked, waitMs: 0 });
    await printer.add(chunk, asked);
  }
  await printer.end(await findIncomplete(reading, sessionId));
}

/** Prints output as it comes, session after session, until the item neither runs nor waits to go on by itself. */
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
    } else if (!goesOn.has(item.status)) return;
    else afterSeq = await waitForEvent(reading, afterSeq);
    tail = null;
  }
}

const goesOn: ReadonlySet<string> = new Set(['active', 'queued', 'rate_limited']);

/** Waits until something happens to the item, or for a while; answers where to go on. */
async function waitForEvent({ kraft, itemId }: LogReading, afterSeq: number): Promise<number> {
  let rows = await kraft.followEvents({ itemId, type: null, afterSeq, waitMs });
  let seq = afterSeq;
  // What came before is read through page by page, without a look at the item for each.
  for (; rows.length > 0; rows = await kraft.events({ itemId, type: null, afterSeq: seq, limit: pageSize })) {
    seq = rows.at(-1)?.seq ?? seq;
    if (rows.length < pageSize) break;
  }
  return seq;
}

const pageSize = 500;

async function followSession(reading: LogReading, sessionId: string, lines: number | null): Promise<void> {
  const printer = createLogPrinter(reading.io, reading.json, sessionId);
  let asked = lines === null ? 0 : null;
  for (;;) {
    const from = asked === null ? { tailLines: lines, waitMs: 0 } : { offset: asked, waitMs };
    const chunk = await read(reading, { sessionId, ...from });
    await printer.add(chunk, asked);
    if (chunk.ended) break;
    asked = chunk.nextOffset;
  }
  await printer.end(await findIncomplete(reading, sessionId));
}

function read(
  { kraft, itemId }: LogReading,
  query: Partial<Parameters<RemoteKraft['readLog']>[0]> & {
    readonly sessionId: string | null;
    readonly waitMs: number;
  },
): Promise<LogChunk> {
  return kraft.readLog({ itemId, offset: 0, tailLines: null, ...query });
}

/** What Kraft recorded of output that did not get into the session's log; null while nothing is known to be missing. */
async function findIncomplete({ kraft, itemId }: LogReading, sessionId: string): Promise<IncompleteLog | null> {
  const type = 'session_output_incomplete';
  for (let afterSeq = 0; ;) {
    const rows = await kraft.events({ itemId, type, afterSeq, limit: pageSize });
    for (const row of rows) if (row.type === type && row.payload.session_id === sessionId) return row.payload;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return null;
    afterSeq = last.seq;
  }
}
