import { open } from 'node:fs/promises';
import { readDroppedRange, type DroppedRange } from '../launch/index.ts';
import type { SessionRow, Store } from '../store/index.ts';
import { composeErrors } from './errors.ts';
import type { Kraft, LogChunk } from './kraft.ts';

/** Bytes of one answer: a reader asks again. */
const chunkMaxBytes = 1024 * 1024;
const lookAgainMs = 100;

type LogQuery = Parameters<Kraft['readLog']>[0];

/** Reads a session's log from an offset, or its tail; waits for more when asked to. Errors: SESSION_UNKNOWN. */
export async function readLog(store: Store, query: LogQuery): Promise<LogChunk> {
  const session = await findSession(store, query);
  const deadlineMs = performance.now() + query.waitMs;
  let offset = query.tailBytes === null ? query.offset : null;
  for (;;) {
    // The state first: what is written before a session ends is on disk by then.
    const row = await store.getSession(session.id);
    const over = row !== null && row.status !== 'pending' && row.status !== 'running';
    const chunk = await readChunk(session, { offset, tailBytes: query.tailBytes ?? 0, over });
    if (chunk.text !== '' || chunk.ended || performance.now() >= deadlineMs) return chunk;
    offset = chunk.nextOffset;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

async function findSession(store: Store, { itemId, sessionId }: LogQuery): Promise<SessionRow> {
  const rows = await store.listSessions({ itemId, statuses: null });
  const found = sessionId === null ? rows.at(-1) : rows.find((row) => row.id === sessionId);
  if (found === undefined) throw composeErrors.create('SESSION_UNKNOWN', { id: itemId, session: sessionId });
  return found;
}

interface Window {
  /** Null: the last `tailBytes`, from the beginning of a line. */
  readonly offset: number | null;
  readonly tailBytes: number;
  /** Nothing more will be written. */
  readonly over: boolean;
}

async function readChunk(session: SessionRow, window: Window): Promise<LogChunk> {
  const dropped = await readDroppedRange(session.logPath);
  const droppedBytes = dropped === null ? 0 : dropped.to - dropped.from;
  const file = await open(session.logPath, 'r').catch(() => null);
  if (file === null) {
    return { sessionId: session.id, text: '', nextOffset: window.offset ?? 0, ended: window.over, droppedBytes };
  }
  try {
    const { size } = await file.stat();
    const tail = window.offset === null;
    const start = skipDropped(window.offset ?? Math.max(0, size - Math.min(window.tailBytes, chunkMaxBytes)), dropped);
    const end = endOf({ start, size, dropped });
    const bytes = Buffer.alloc(Math.max(0, end - start));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
    const read = bytes.subarray(0, bytesRead);
    const from = tail && start > 0 ? read.indexOf(0x0a) + 1 : 0;
    const to = window.over && start + bytesRead >= size ? read.length : wholeCharacters(read);
    return {
      sessionId: session.id,
      text: read.subarray(from, Math.max(from, to)).toString('utf8'),
      nextOffset: start + to,
      ended: window.over && start + to >= size,
      droppedBytes,
    };
  } finally {
    await file.close();
  }
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
