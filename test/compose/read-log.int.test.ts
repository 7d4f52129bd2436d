import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLog } from '../../src/compose/read-log.ts';
import { enforceLogCap } from '../../src/launch/log-cap.ts';
import type { SessionRow, Store } from '../../src/store/index.ts';
import { sampleSession } from '../support/sample-item.ts';

let dir = '';
let rows: SessionRow[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kr-'));
  rows = [session('s1', 'done'), session('s2', 'running')];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const session = (id: string, status: SessionRow['status']): SessionRow =>
  sampleSession({ id, status, logPath: join(dir, `${id}.log`) });
const store = {
  listSessions: () => Promise.resolve(rows),
  getSession: (id: string) => Promise.resolve(rows.find((row) => row.id === id) ?? null),
} as unknown as Store;
const read = (query: Partial<Parameters<typeof readLog>[1]> = {}) =>
  readLog(store, { itemId: 'abcd2345', sessionId: null, offset: 0, tailLines: null, waitMs: 0, ...query });

async function readAll(query: Partial<Parameters<typeof readLog>[1]>) {
  const chunks = [await read(query)];
  for (let last = chunks[0]; last !== undefined && !last.ended; last = chunks.at(-1)) {
    chunks.push(await read({ ...query, tailLines: null, offset: last.nextOffset }));
  }
  return { chunks, text: chunks.map((chunk) => chunk.text).join('') };
}

describe('readLog', () => {
  it('reads the newest session from an offset and says where to go on', async () => {
    writeFileSync(join(dir, 's2.log'), 'one\ntwo\n');
    expect(await read({ offset: 4 })).toEqual({
      sessionId: 's2',
      text: 'two\n',
      startOffset: 4,
      nextOffset: 8,
      sizeBytes: 8,
      ended: false,
      shortened: false,
      droppedBytes: 0,
    });
  });

  it('has ended only when the session has and all was read', async () => {
    writeFileSync(join(dir, 's1.log'), 'x'.repeat(256 * 1024 + 5));
    const first = await read({ sessionId: 's1' });
    expect(first.ended).toBe(false);
    const rest = await read({ sessionId: 's1', offset: first.nextOffset });
    expect({ length: rest.text.length, ended: rest.ended }).toEqual({ length: 5, ended: true });
  });

  it.each([
    { lines: 0, text: '' },
    { lines: 1, text: 'third\n' },
    { lines: 2, text: 'second\nthird\n' },
    { lines: 9, text: 'first line\nsecond\nthird\n' },
  ])('begins a tail of $lines lines with a whole line', async ({ lines, text }) => {
    writeFileSync(join(dir, 's2.log'), 'first line\nsecond\nthird\n');
    expect(await read({ tailLines: lines })).toMatchObject({ text, nextOffset: 24, shortened: false });
  });

  it('counts a last line that has no end yet', async () => {
    writeFileSync(join(dir, 's2.log'), 'one\ntwo');
    expect((await read({ tailLines: 1 })).text).toBe('two');
  });

  it('looks back over many blocks for a tail, and gives it in parts', async () => {
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(join(dir, 's1.log'), line.repeat(20_000));
    const { chunks, text } = await readAll({ sessionId: 's1', tailLines: 15_000 });
    expect({ text: text === line.repeat(15_000), parts: chunks.length > 1 }).toEqual({ text: true, parts: true });
  });

  it('goes back a bounded way for a tail of endless lines, and says that it is shortened', async () => {
    writeFileSync(join(dir, 's1.log'), 'x'.repeat(3 * 1024 * 1024));
    const chunk = await read({ sessionId: 's1', tailLines: 1 });
    expect(chunk).toMatchObject({ startOffset: 2 * 1024 * 1024, shortened: true });
    writeFileSync(join(dir, 's1.log'), `${'x'.repeat(3 * 1024 * 1024)}\nlast\n`);
    expect(await read({ sessionId: 's1', tailLines: 2 })).toMatchObject({ text: 'last\n', shortened: true });
  });

  it('never cuts a character in two while more may come', async () => {
    const bytes = Buffer.from('aé漢😀');
    for (let size = 1; size < bytes.length; size++) {
      writeFileSync(join(dir, 's2.log'), bytes.subarray(0, size));
      const first = await read();
      writeFileSync(join(dir, 's2.log'), bytes);
      const rest = await read({ offset: first.nextOffset });
      expect(first.text + rest.text).toBe('aé漢😀');
    }
  });

  it('gives what is left of a broken character once the session is over', async () => {
    writeFileSync(join(dir, 's1.log'), Buffer.from('a漢').subarray(0, 2));
    expect(await read({ sessionId: 's1' })).toMatchObject({ text: 'a\ufffd', ended: true });
  });

  it('skips the hole that the cap made and says how long it is', async () => {
    writeFileSync(join(dir, 's1.log'), `head\n${'\0'.repeat(100)}tail\n`);
    writeFileSync(join(dir, 's1.log.cap.json'), '{"from":5,"to":105}');
    const head = await read({ sessionId: 's1' });
    expect(head).toMatchObject({ text: 'head\n', droppedBytes: 100, ended: false });
    expect(await read({ sessionId: 's1', offset: head.nextOffset })).toMatchObject({ text: 'tail\n', ended: true });
  });

  it('goes past the hole when a character was cut in two by it', async () => {
    writeFileSync(join(dir, 's2.log'), Buffer.concat([Buffer.from('漢').subarray(0, 2), Buffer.from('\0\0tail\n')]));
    writeFileSync(join(dir, 's2.log.cap.json'), '{"from":2,"to":4}');
    const head = await read();
    expect(head).toMatchObject({ text: '\ufffd', nextOffset: 2 });
    expect(await read({ offset: head.nextOffset })).toMatchObject({ startOffset: 4, text: 'tail\n' });
  });

  it('begins a tail behind the hole', async () => {
    writeFileSync(join(dir, 's1.log'), `head\n${'\0'.repeat(100)}cut\nlast\n`);
    writeFileSync(join(dir, 's1.log.cap.json'), '{"from":5,"to":105}');
    expect(await read({ sessionId: 's1', tailLines: 9 })).toMatchObject({ text: 'last\n', droppedBytes: 100 });
  });

  it('never takes the hole of a cap for text, however the two meet', async () => {
    const cap = { headBytes: 64 * 1024, tailBytes: 64 * 1024, slackBytes: 64 * 1024 };
    const line = `${'y'.repeat(63)}\n`;
    const path = join(dir, 's2.log');
    const env = { PATH: '/usr/bin:/bin' };
    writeFileSync(path, '');
    const texts: string[] = [];
    let offset = 0;
    let lostBytes = 0;
    for (let round = 0; round < 12; round++) {
      appendFileSync(path, line.repeat(4096));
      const [why, chunk] = await Promise.all([enforceLogCap(path, cap, env), read({ offset })]);
      expect(why).toBeNull();
      lostBytes += chunk.startOffset - offset;
      offset = chunk.nextOffset;
      texts.push(chunk.text);
    }
    expect(texts.join('').replaceAll(/[y\n]/g, '')).toBe('');
    expect(Buffer.byteLength(texts.join('')) + lostBytes).toBe(offset);
  });

  it('waits for output that is still to come', async () => {
    writeFileSync(join(dir, 's2.log'), 'one\n');
    const waiting = read({ offset: 4, waitMs: 10_000 });
    appendFileSync(join(dir, 's2.log'), 'two\n');
    expect((await waiting).text).toBe('two\n');
  });

  it('stops waiting when the session ends without a word', async () => {
    const waiting = read({ offset: 0, waitMs: 10_000 });
    rows = rows.map((row) => ({ ...row, status: 'failed' }));
    expect(await waiting).toMatchObject({ text: '', ended: true });
  });

  it('names the session that an item does not have, and the item that has none', async () => {
    await expect(read({ sessionId: 'nope' })).rejects.toMatchObject({ code: 'KRAFT_SESSION_UNKNOWN' });
    rows = [];
    await expect(read()).rejects.toThrow('Item abcd2345 has run no session yet.');
  });
});
