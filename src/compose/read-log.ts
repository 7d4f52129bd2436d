import { open, type FileHandle } from 'node:fs/promises';
import { readDroppedRange, type DroppedRange } from '../launch/index.ts';
import type { SessionRow, Store } from '../store/index.ts';
import { composeErrors } from './errors.ts';
import { findTail } from './find-tail.ts';
import type { Kraft, LogChunk } from './kraft.ts';

/** Bytes of one answer, so of the buffer of one reader: it asks again. */
const chunkMaxBytes = 256 * 1024;
const lookAgainMs = 100;

type LogQuery = Parameters<Kraft['readLog']>[0];

/** Reads a session's log from an offset, or its tail; waits for more when asked to. Errors: SESSION_UNKNOWN. */
export async function readLog(store: Store, query: LogQuery): Promise<LogChunk> {
  const session = await findSession(store, query);
  const deadlineMs = performance.now() + query.waitMs;
  let from: Start = query.tailLines === null ? { offset: query.offset } : { tailLines: query.tailLines };
  for (;;) {
    // The state first: what is written before a session ends is on disk by then.
    const row = await store.getSession(session.id);
    const over = row !== null && row.status !== 'pending' && row.status !== 'running';
    const chunk = await readChunk(session, from, over);
    if (chunk.text !== '' || chunk.ended || performance.now() >= deadlineMs) return chunk;
    from = { offset: chunk.nextOffset };
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

async function findSession(store: Store, { itemId, sessionId }: LogQuery): Promise<SessionRow> {
  const rows = await store.listSessions({ itemId, statuses: null });
  const found = sessionId === null ? rows.at(-1) : rows.find((row) => row.id === sessionId);
  if (found === undefined) throw composeErrors.create('SESSION_UNKNOWN', { id: itemId, session: sessionId });
  return found;
}

type Start = { readonly offset: number } | { readonly tailLines: number };

/** `over`: nothing more will be written. */
async function readChunk(session: SessionRow, from: Start, over: boolean): Promise<LogChunk> {
  const file = await open(session.logPath, 'r').catch(() => null);
  if (file === null) {
    const at = 'offset' in from ? from.offset : 0;
    const nothing = { text: '', startOffset: at, nextOffset: at, sizeBytes: 0, shortened: false, droppedBytes: 0 };
    return { sessionId: session.id, ...nothing, ended: over };
  }
  try {
    for (;;) {
      const dropped = await readDroppedRange(session.logPath);
      const chunk = await readAround(file, { session, from, over, dropped });
      // The cap says what it drops before it does: what was read meanwhile may be the zeros of its hole.
      const now = await readDroppedRange(session.logPath);
      if (now === null || now.to === dropped?.to || !overlaps(chunk, now)) return chunk;
    }
  } finally {
    await file.close();
  }
}

interface Reading {
  readonly session: SessionRow;
  readonly from: Start;
  readonly over: boolean;
  readonly dropped: DroppedRange | null;
}

async function readAround(file: FileHandle, { session, from, over, dropped }: Reading): Promise<LogChunk> {
  const { size } = await file.stat();
  const { offset, shortened } =
    'offset' in from
      ? { offset: from.offset, shortened: false }
      : await findTail(file, { lines: from.tailLines, sizeBytes: size, dropped });
  const start = skipDropped(offset, dropped);
  const end = endOf({ start, size, dropped });
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  const read = bytes.subarray(0, bytesRead);
  // No more of a character comes at the end of a log that is over, and before a hole.
  const isLast = (over && start + bytesRead >= size) || start + bytesRead === dropped?.from;
  const taken = isLast ? read.length : wholeCharacters(read);
  return {
    sessionId: session.id,
    text: read.subarray(0, taken).toString('utf8'),
    startOffset: start,
    nextOffset: start + taken,
    sizeBytes: size,
    ended: over && start + taken >= size,
    shortened,
    droppedBytes: lengthOf(dropped),
  };
}

function lengthOf(dropped: DroppedRange | null): number {
  return dropped === null ? 0 : dropped.to - dropped.from;
}

function overlaps({ startOffset, nextOffset }: LogChunk, dropped: DroppedRange): boolean {
  return startOffset < dropped.to && nextOffset > dropped.from;
}

/** The hole that the cap made is neither read nor counted as text. */
function skipDropped(offset: number, dropped: DroppedRange | null): number {
  return dropped !== null && offset >= dropped.from && offset < dropped.to ? dropped.to : offset;
}

function endOf(at: { readonly start: number; readonly size: number; readonly dropped: DroppedRange | null }): number {
  const end = Math.min(at.size, at.start + chunkMaxBytes);
  return at.dropped !== null && at.start < at.dropped.from ? Math.min(end, at.dropped.from) : end;
}

/** How many of the bytes make whole UTF-8 characters: the rest of the last one may still be on its way. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}
