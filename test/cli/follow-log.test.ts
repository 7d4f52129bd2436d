import { describe, expect, it } from 'vitest';
import type { LogChunk } from '../../src/compose/index.ts';
import type { Io } from '../../src/cli/command.ts';
import { followLog, printLog } from '../../src/cli/follow-log.ts';
import { createLogPrinter } from '../../src/cli/log-printer.ts';
import type { RemoteKraft } from '../../src/cli/remote-kraft.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import { FakeKraft, samplePublicItem, sampleEvent } from '../support/fake-kraft.ts';
import { sampleSession } from '../support/sample-item.ts';

function captureIo(): { readonly io: Io; readonly out: string[]; readonly err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    variables: {},
    env: () => undefined,
    cwd: '/',
    terminal: { outIsTty: false, movesCursor: false, interactive: false, color: false, columns: null },
    style: createStyle(false),
    version: '0',
    personUmask: 0o022,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    flushed: () => Promise.resolve(),
  };
  return { io, out, err };
}

/** An item whose first session ends and whose second begins only after an event. */
class TwoSessions extends FakeKraft {
  readonly #looks = { count: 0 };

  override showItem: RemoteKraft['showItem'] = async () => {
    const looks = ++this.#looks.count;
    const started = '2026-01-02T03:04:05.678Z';
    const sessions = [sampleSession({ id: 's1', startedAt: started })];
    if (looks > 2) sessions.push(sampleSession({ id: 's2', startedAt: started }));
    const status = looks > 4 ? ('completed' as const) : ('active' as const);
    return Promise.resolve({
      item: samplePublicItem({ status }),
      sessions,
      nodes: [],
      spend: null,
      openThreads: 0,
      commits: [],
      mergeCommand: null,
      nextCommand: null,
    });
  };
  override followEvents: RemoteKraft['followEvents'] = () => Promise.resolve([sampleEvent(1)]);
  override readLog: RemoteKraft['readLog'] = ({ sessionId, offset }) => {
    const texts: Record<string, string> = { s1: 'first\nhalf', s2: '\u001b]0;title\u0007second\n' };
    const text = (texts[sessionId ?? ''] ?? '').slice(offset, offset + 8);
    const nextOffset = offset + text.length;
    const chunk: LogChunk = {
      ...this.log,
      sessionId: sessionId ?? 's1',
      text,
      startOffset: offset,
      nextOffset,
      ended: nextOffset === (texts[sessionId ?? ''] ?? '').length,
    };
    return Promise.resolve(chunk);
  };
}

describe('followLog', () => {
  it('goes on through the sessions of an item until it ends, in whole safe lines', async () => {
    const { io, out, err } = captureIo();
    await followLog({ kraft: new TwoSessions(), io, itemId: 'abcd2345', json: false }, 50);
    expect(out.join('')).toBe('first\nhalf\n\\x1b]0;title\\x07second\n');
    expect(err.join('')).toBe('session s1\nsession s2\n');
  });

  it('prints one object per line with --json', async () => {
    const { io, out } = captureIo();
    await followLog({ kraft: new TwoSessions(), io, itemId: 'abcd2345', json: true }, 50);
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([
      { session_id: 's1', text: 'first' },
      { session_id: 's1', text: 'half' },
      { session_id: 's2', text: '\u001b]0;title\u0007second' },
    ]);
  });
});

describe('printLog', () => {
  it('prints the last lines of the newest session', async () => {
    const { io, out } = captureIo();
    const kraft = new FakeKraft();
    await printLog({ kraft, io, itemId: 'abcd2345', json: false }, { sessionId: null, lines: 1 });
    expect(out.join('')).toBe('one\ntwo\n');
    const tail = { itemId: 'abcd2345', sessionId: null, offset: 0, tailLines: 1, waitMs: 0 };
    expect(kraft.calls[0]).toEqual(['readLog', tail]);
  });
});

const encode = (text: string): LogChunk => ({
  ...new FakeKraft().log,
  text,
  nextOffset: text.length,
  sizeBytes: text.length,
});

describe('createLogPrinter', () => {
  it('tells of what the cap dropped once, where it is missing', async () => {
    const { io, out, err } = captureIo();
    const printer = createLogPrinter(io, false, 's1');
    await printer.add({ ...encode('head'), droppedBytes: 12 }, 0);
    await printer.add({ ...encode('tail\n'), startOffset: 16, droppedBytes: 12 }, 4);
    await printer.add({ ...encode('more\n'), startOffset: 21, droppedBytes: 12 }, 21);
    await printer.end({ reason: 'the log reached its cap', dropped_bytes: 12 });
    expect(out.join('')).toBe('head\ntail\nmore\n');
    expect(err.join('')).toBe('session s1\n12 bytes in the middle of this log were dropped by its cap\n');
  });

  it('tells of a tail whose log was capped before it', async () => {
    const { io, err } = captureIo();
    const printer = createLogPrinter(io, false, 's1');
    await printer.add({ ...encode('tail\n'), startOffset: 99, droppedBytes: 40 }, null);
    await printer.add({ ...encode('more\n'), startOffset: 104, droppedBytes: 40 }, 104);
    expect(err.join('').match(/40 bytes in the middle/g)).toHaveLength(1);
  });

  it('tells of a lost end, and of a cap besides only when that was not told', async () => {
    const told = captureIo();
    const printer = createLogPrinter(told.io, false, 's1');
    await printer.add({ ...encode('tail\n'), startOffset: 99, droppedBytes: 40 }, 0);
    await printer.end({ reason: 'the log reached its cap; what came after is lost\u202e', dropped_bytes: 40 });
    expect(told.err.join('')).toContain(
      'This log is incomplete: the log reached its cap; what came after is lost\\u{202e}',
    );
    const lost = captureIo();
    await createLogPrinter(lost.io, false, 's1').end({ reason: 'the end may be lost', dropped_bytes: null });
    expect(lost.err.join('')).toContain('This log is incomplete: the end may be lost');
  });

  it('prints a line that has no end yet, and says when a tail begins in the middle of one', async () => {
    const { io, out, err } = captureIo();
    await createLogPrinter(io, false, 's1').add({ ...encode('waiting for'), shortened: true }, null);
    expect(out.join('')).toBe('waiting for');
    expect(err.join('')).toContain('The lines before are left out');
  });

  it('gives programs an endless line in parts, so that it never holds more than a bounded piece', async () => {
    const { io, out } = captureIo();
    const printer = createLogPrinter(io, true, 's1');
    const piece = 'z'.repeat(400_000);
    for (let at = 0; at < 20; at++) {
      await printer.add(encode(piece), 0);
    }
    await printer.add(encode('end\nnext\n'), 0);
    await printer.end(null);
    const rows = out
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string; partial?: true });
    expect(
      rows
        .slice(0, -1)
        .map((row) => row.text)
        .join(''),
    ).toBe(`${piece.repeat(20)}end`);
    expect(Math.max(...rows.map((row) => row.text.length))).toBeLessThanOrEqual(1024 * 1024 + piece.length);
    expect(rows.at(-2)).not.toHaveProperty('partial');
    expect(rows.slice(0, -2).every((row) => row.partial === true)).toBe(true);
    expect(rows.at(-1)).toEqual({ session_id: 's1', text: 'next' });
  });

  it('waits until what it printed was taken', async () => {
    const { io } = captureIo();
    const taken = Promise.withResolvers<undefined>();
    const printer = createLogPrinter({ ...io, flushed: () => taken.promise }, false, 's1');
    const done: string[] = [];
    const adding = printer.add(encode('text\n'), 0).then(() => done.push('added'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([]);
    taken.resolve(undefined);
    await adding;
    expect(done).toEqual(['added']);
  });
});
