import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { parseHostPort } from './host-port.ts';

const Count = z.number().int().nonnegative();

/** One request and what became of it: the one line of it that is kept. Bytes are counted on the way to and from the host. */
const DecisionRecord = z
  .strictObject({
    /** UTC RFC 3339, when the request came. */
    at: z.iso.datetime(),
    /** `CONNECT`, or the method of a plain request. */
    method: z.string().regex(/^[A-Z]{1,16}$/),
    /** Canonical, so that no control character of a worker's gets here. */
    host: z.string(),
    port: z.number(),
    phase: z.enum(['install', 'runtime']),
    allow: z.boolean(),
    /** Of the decision. */
    reason: z.string().max(256),
    /** The entry or address that decided. */
    rule: z.string().max(512).nullable(),
    /** What kept an allowed request from its host; null when nothing did. */
    failure: z.string().max(512).nullable(),
    bytesUp: Count,
    bytesDown: Count,
    /** From the request to the end of its connection. */
    ms: Count,
  })
  .refine(({ host, port }) => {
    const parsed = parseHostPort(host, port);
    return parsed.kind === 'host' && parsed.target.host === host;
  });
export type DecisionRecord = z.infer<typeof DecisionRecord>;

/** A request that was answered 400: it names no host that could be decided on. */
const MalformedRecord = z.strictObject({
  /** UTC RFC 3339. */
  at: z.iso.datetime(),
  /** Why, in the proxy's own words: nothing of what was sent. */
  malformed: z.string().max(256),
});
export type MalformedRecord = z.infer<typeof MalformedRecord>;

/** Requests of which only the number is known. */
const Dropped = z.strictObject({ dropped: Count });

/** What a session asked of one host. */
export interface EgressHost {
  readonly host: string;
  readonly port: number;
  readonly phase: DecisionRecord['phase'];
  readonly asked: number;
  readonly allowed: number;
  readonly refused: number;
  /** Allowed, and could not be reached. */
  readonly failed: number;
  /** Of the last refusal; null when nothing was refused. */
  readonly reason: string | null;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface EgressSummary {
  /** By first line. */
  readonly hosts: readonly EgressHost[];
  /** Requests that were not understood. */
  readonly malformed: number;
  /** Requests of which only the number is known, since the log was full or the disk was. */
  readonly dropped: number;
  /** Lines that are none of the log's: one that a crash cut off. */
  readonly unreadable: number;
}

export interface DecisionLog {
  /** Never throws: what cannot be written is counted as dropped. */
  append(record: DecisionRecord | MalformedRecord): void;
  /** Writes what is left, and how many were dropped. Idempotent. */
  close(): void;
}

/** After this a session's requests are counted alone. */
export const logMaxBytes = 16 * 1024 * 1024;
const bufferedMaxBytes = 32 * 1024;
const flushAfterMs = 500;

/** Opens a session's decision log to append to, mode 0600. Errors: those of the file system. */
export function openDecisionLog(path: string, maxBytes: number = logMaxBytes): DecisionLog {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  return new FileDecisionLog(openSync(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600), maxBytes);
}

class FileDecisionLog implements DecisionLog {
  readonly #fd: number;
  readonly #maxBytes: number;
  #bytes: number;
  #buffered = '';
  #bufferedLines = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(fd: number, maxBytes: number) {
    this.#fd = fd;
    this.#maxBytes = maxBytes;
    this.#bytes = fstatSync(fd).size;
    // Behind a line that a crash may have cut off; an empty line means nothing.
    if (this.#bytes > 0) this.#buffered = '\n';
  }

  append(record: DecisionRecord | MalformedRecord): void {
    if (this.#closed) return;
    const line = `${JSON.stringify(record)}\n`;
    if (this.#bytes + line.length > this.#maxBytes) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += line.length;
    this.#buffered += line;
    this.#bufferedLines += 1;
    if (this.#buffered.length >= bufferedMaxBytes) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), flushAfterMs).unref();
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    if (this.#dropped > 0)
      this.#write(`\n${JSON.stringify({ dropped: this.#dropped } satisfies z.infer<typeof Dropped>)}\n`);
    this.#closed = true;
    closeSync(this.#fd);
  }

  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#bufferedLines > 0 && !this.#write(this.#buffered)) this.#dropped += this.#bufferedLines;
    this.#buffered = '';
    this.#bufferedLines = 0;
  }

  /** A full disk is no reason to fail a request that was decided: false. */
  #write(text: string): boolean {
    try {
      return writeSync(this.#fd, text) > 0;
    } catch {
      return false;
    }
  }
}

/** What a session asked for, by host and port; empty when there is no log. Errors: those of the file system. */
export async function readEgressLog(path: string): Promise<EgressSummary> {
  const hosts = new Map<string, EgressHost>();
  let malformed = 0;
  let dropped = 0;
  let unreadable = 0;
  for await (const line of readLines(path)) {
    if (line === '') continue;
    const value = parseLine(line);
    const record = DecisionRecord.safeParse(value);
    if (record.success) {
      const { host, port, phase } = record.data;
      const key = `${phase} ${host} ${port}`;
      hosts.set(key, add(hosts.get(key) ?? null, record.data));
      continue;
    }
    const counted = Dropped.safeParse(value);
    if (counted.success) dropped += counted.data.dropped;
    else if (MalformedRecord.safeParse(value).success) malformed += 1;
    else unreadable += 1;
  }
  return { hosts: [...hosts.values()], malformed, dropped, unreadable };
}

function add(before: EgressHost | null, record: DecisionRecord): EgressHost {
  const { host, port, phase, at } = record;
  const sum = before ?? { asked: 0, allowed: 0, refused: 0, failed: 0, bytesUp: 0, bytesDown: 0 };
  return {
    host,
    port,
    phase,
    asked: sum.asked + 1,
    allowed: sum.allowed + Number(record.allow),
    refused: sum.refused + Number(!record.allow),
    failed: sum.failed + Number(record.failure !== null),
    reason: record.allow ? (before?.reason ?? null) : record.reason,
    bytesUp: sum.bytesUp + record.bytesUp,
    bytesDown: sum.bytesDown + record.bytesDown,
    // Lines stand in the order in which connections ended.
    firstAt: before === null || at < before.firstAt ? at : before.firstAt,
    lastAt: before === null || at > before.lastAt ? at : before.lastAt,
  };
}

async function* readLines(path: string): AsyncGenerator<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return;
  await using handle = file;
  // One is still written to; what is beyond its bound is none of it.
  yield* handle.readLines({ encoding: 'utf8', end: logMaxBytes + 1024, autoClose: false });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
