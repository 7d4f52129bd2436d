import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLog } from '../../src/compose/read-log.ts';
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
  readLog(store, { itemId: 'abcd2345', sessionId: null, offset: 0, tailBytes: null, waitMs: 0, ...query });

describe('readLog', () => {
  it('reads the newest session from an offset and says where to go on', async () => {
    writeFileSync(join(dir, 's2.log'), 'one\ntwo\n');
    expect(await read({ offset: 4 })).toEqual({
      sessionId: 's2',
      text: 'two\n',
      nextOffset: 8,
      ended: false,
      droppedBytes: 0,
    });
  });

  it('has ended only when the session has and all was read', async () => {
    writeFileSync(join(dir, 's1.log'), 'x'.repeat(1024 * 1024 + 5));
    const first = await read({ sessionId: 's1' });
    expect(first.ended).toBe(false);
    const rest = await read({ sessionId: 's1', offset: first.nextOffset });
    expect({ length: rest.text.length, ended: rest.ended }).toEqual({ length: 5, ended: true });
  });

  it('begins a tail with a whole line', async () => {
    writeFileSync(join(dir, 's2.log'), 'first line\nsecond\nthird\n');
    expect((await read({ tailBytes: 10 })).text).toBe('third\n');
    expect((await read({ tailBytes: 1000 })).text).toBe('first line\nsecond\nthird\n');
    expect((await read({ tailBytes: 0 })).text).toBe('');
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
