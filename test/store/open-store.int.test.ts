import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { Database } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';
import { openStore, type Change, type Store } from '../../src/store/index.ts';
import { sampleItem, sampleSession } from '../support/sample-item.ts';

let dir: string;
let path: string;
const open: Store[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kraft-store-'));
  path = join(dir, 'orchestrator.db');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store[Symbol.asyncDispose]()));
  rmSync(dir, { recursive: true, force: true });
});

async function openHere(): Promise<Store> {
  const store = await openStore({ path, clock: systemClock });
  open.push(store);
  return store;
}

const created = { type: 'work_item_created', payload: { title: 't', repo: '/srv/repo', chain: 'quick-task' } } as const;
const started = { type: 'node_started', payload: { node_id: 'implementation' } } as const;

function change(overrides: Partial<Change>): Change {
  return { itemId: 'abcd2345', events: [], item: {}, sessions: [], expectStatus: null, ...overrides };
}

describe('a store', () => {
  test('gives back every field of an item and of a session, also after it was closed and opened again', async () => {
    const item = sampleItem({
      prepared: true,
      stop: { kind: 'failed', code: null, reason: 'r', remedy: 'm', sessionId: 's1', facts: { failed_scopes: [1] } },
      baseBranch: 'main',
      worktree: '/w',
      adminDir: '/a',
      nextNode: 'verification',
    });
    const session = sampleSession({ pid: 7, bootId: 'b', startTicks: '9', exitCode: 3, memoryBytes: 5, timeCapMs: 6 });
    const first = await openHere();
    await first.createItem(item, []);
    await first.apply(change({ sessions: [session] }));
    await first[Symbol.asyncDispose]();

    const second = await openHere();

    expect(await second.getItem(item.id)).toEqual(item);
    expect(await second.getSession('s1')).toEqual(session);
  });

  test('applies columns, sessions and events together and tells listeners after the commit', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), [{ event: created, nodeId: null }]);
    const heard: number[] = [];
    const stop = store.onEvents((rows) => heard.push(...rows.map((row) => row.seq)));

    await store.apply(
      change({
        item: { status: 'queued' },
        events: [{ event: started, nodeId: 'implementation' }],
        sessions: [sampleSession()],
      }),
    );
    await store.apply(change({ sessions: [{ id: 's1', status: 'running', pid: 12 }] }));
    stop();
    await store.apply(change({ events: [{ event: started, nodeId: null }] }));

    expect(await store.getItem('abcd2345')).toMatchObject({ status: 'queued', title: 'Mend the basket' });
    expect(await store.getSession('s1')).toMatchObject({
      status: 'running',
      pid: 12,
      task: 'implementation.main.agent',
    });
    const rows = await store.events({ itemId: 'abcd2345', type: null, afterSeq: 0, limit: 10 });
    expect(rows.map((row) => [row.seq, row.type, row.node_id])).toEqual([
      [1, 'work_item_created', null],
      [2, 'node_started', 'implementation'],
      [3, 'node_started', null],
    ]);
    expect(rows[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(heard).toEqual([2]);
  });

  test('changes nothing when the item is no longer where the command expects it', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), []);

    const moved = store.apply(
      change({
        item: { status: 'completed' },
        events: [{ event: started, nodeId: null }],
        sessions: [sampleSession()],
        expectStatus: ['active'],
      }),
    );

    await expect(moved).rejects.toMatchObject({ code: 'KRAFT_ITEM_MOVED' });
    expect((await store.getItem('abcd2345'))?.status).toBe('paused');
    expect(await store.listSessions({ itemId: null, statuses: null })).toEqual([]);
    expect(await store.events({ itemId: null, type: null, afterSeq: 0, limit: 10 })).toEqual([]);
  });

  test('lets exactly one of two commands that race on an item win', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), []);
    const claim = change({ item: { status: 'queued' }, expectStatus: ['paused'] });

    const outcomes = await Promise.allSettled([store.apply(claim), store.apply(claim)]);

    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected']);
  });

  test('finds items by prefix and filters lists by repository, status and item', async () => {
    const store = await openHere();
    for (const [id, status, repo] of [
      ['abaaaaaa', 'active', '/r1'],
      ['abbbbbbb', 'abandoned', '/r1'],
      ['bccccccc', 'active', '/r2'],
    ] as const) {
      await store.createItem(
        sampleItem({ id, status, repo, createdAt: `2026-01-01T00:00:00.00${id.charCodeAt(1) % 10}Z` }),
        [{ event: created, nodeId: null }],
      );
    }
    const ids = (items: readonly { id: string }[]): string[] => items.map((item) => item.id);

    expect(ids(await store.findItems('ab'))).toEqual(['abaaaaaa', 'abbbbbbb']);
    expect(ids(await store.findItems('%'))).toEqual([]);
    expect(ids(await store.listItems({ repo: '/r1', statuses: null })).toSorted()).toEqual(['abaaaaaa', 'abbbbbbb']);
    expect(ids(await store.listItems({ repo: null, statuses: ['active'] })).toSorted()).toEqual([
      'abaaaaaa',
      'bccccccc',
    ]);
    expect(await store.events({ itemId: 'bccccccc', type: 'work_item_created', afterSeq: 0, limit: 5 })).toHaveLength(
      1,
    );
    expect(await store.events({ itemId: null, type: 'node_started', afterSeq: 0, limit: 5 })).toEqual([]);
    expect(await store.events({ itemId: null, type: null, afterSeq: 1, limit: 1 })).toMatchObject([{ seq: 2 }]);
  });

  test('sums what sessions of all items cost from a moment on, those that have not ended included', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), []);
    await store.createItem(sampleItem({ id: 'bbbbbbbb' }), []);
    const midnight = '2026-01-02T00:00:00.000Z';
    const cost = (id: string, costUsd: number | null, endedAt: string | null, itemId = 'abcd2345'): Promise<void> =>
      store.apply(change({ itemId, sessions: [sampleSession({ id, itemId, costUsd, endedAt })] }));
    expect(await store.spentUsd(midnight)).toBe(0);
    await cost('s1', 8, '2026-01-01T23:59:59.999Z');
    await cost('s2', 1, midnight);
    await cost('s3', 0.5, null, 'bbbbbbbb');
    await cost('s4', null, null);
    expect(await store.spentUsd(midnight)).toBe(1.5);
  });

  test('never gives an id twice and never removes or changes what was recorded', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), [{ event: created, nodeId: null }]);
    await expect(store.createItem(sampleItem(), [])).rejects.toThrow(/UNIQUE/);
    await store[Symbol.asyncDispose]();

    const raw = new DatabaseSync(path);
    expect(() => raw.exec('DELETE FROM items')).toThrow(/kept/);
    expect(() => raw.exec('DELETE FROM events')).toThrow(/append-only/);
    expect(() => raw.exec("UPDATE events SET type = 'x'")).toThrow(/append-only/);
    raw.close();
  });

  test('keeps the database and the files beside it to their owner', async () => {
    writeFileSync(path, '', { mode: 0o644 });
    const store = await openHere();
    await store.createItem(sampleItem(), []);

    const modes = readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]);
    expect(Object.fromEntries(modes)).toEqual({
      'orchestrator.db': '600',
      'orchestrator.db-wal': '600',
      'orchestrator.db-shm': '600',
    });
  });

  test('waits for a database that is held up without holding up anything else of the process', async () => {
    const store = await openHere();
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN IMMEDIATE');
    let written = false;
    const write = store.createItem(sampleItem(), []).then(() => {
      written = true;
    });
    // Answers to messages of the worker come in these turns too: were it free to write, it would have said so.
    for (let turns = 0; turns < 500; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBe(false);
    holder.exec('COMMIT');
    holder.close();
    await write;
    expect((await store.getItem('abcd2345'))?.id).toBe('abcd2345');
  });

  test('refuses a call after it was closed', async () => {
    const store = await openHere();
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();

    await expect(store.getItem('a')).rejects.toMatchObject({ code: 'KRAFT_STORE_CLOSED' });
  });
});

describe('opening a store', () => {
  test('refuses a database of a newer Kraft, naming both versions, and leaves it alone', async () => {
    const raw = new DatabaseSync(path);
    raw.exec('PRAGMA user_version = 99');
    raw.close();

    await expect(openHere()).rejects.toMatchObject({
      code: 'KRAFT_STORE_TOO_NEW',
      report: { details: { found: 99, known: migrations.length } },
    });
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('copies an older database before it migrates it, and keeps its rows', async () => {
    const store = await openHere();
    await store.createItem(sampleItem(), []);
    await store[Symbol.asyncDispose]();

    new Database(path, [...migrations, 'ALTER TABLE items ADD COLUMN later TEXT;']).close();

    const version = migrations.length;
    const copy = `${path}.v${version}.bak`;
    expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
    const [before, after] = [new DatabaseSync(copy), new DatabaseSync(path)];
    expect(before.prepare('PRAGMA user_version').get()).toEqual({ user_version: version });
    expect(before.prepare('SELECT id FROM items').all()).toEqual([{ id: 'abcd2345' }]);
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: version + 1 });
    expect(after.prepare('SELECT id, later FROM items').all()).toEqual([{ id: 'abcd2345', later: null }]);
    before.close();
    after.close();
  });

  test('leaves the old version in place when a step fails', () => {
    writeFileSync(path, '');
    new Database(path, migrations).close();

    expect(
      () => new Database(path, [...migrations, 'ALTER TABLE items ADD COLUMN a TEXT; SELECT nonsense;']),
    ).toThrow();

    const raw = new DatabaseSync(path);
    expect(raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length });
    expect(
      raw
        .prepare('PRAGMA table_info(items)')
        .all()
        .map((row) => row['name']),
    ).not.toContain('a');
    raw.close();
  });

  test('says of a file that is no database that it cannot be read, and what to do', async () => {
    writeFileSync(path, 'this is no database, and it is longer than a header of one hundred bytes '.repeat(20));

    await expect(openHere()).rejects.toMatchObject({ code: 'KRAFT_STORE_CORRUPT', kind: 'environment' });
  });

  test('says so when the folder is missing', async () => {
    path = join(dir, 'missing', 'orchestrator.db');

    await expect(openHere()).rejects.toMatchObject({ code: 'KRAFT_STORE_UNUSABLE' });
  });
});

describe('a commit', () => {
  // A step of a migration runs on the store's own connection, so what it sees there is what every commit goes by.
  const seen =
    'CREATE TABLE seen AS SELECT synchronous, (SELECT journal_mode FROM pragma_journal_mode) AS journal FROM';

  test('is written through to the disk before anybody is told of it', () => {
    writeFileSync(path, '');
    new Database(path, [...migrations, `${seen} pragma_synchronous`]).close();

    const raw = new DatabaseSync(path);
    // 2 is FULL: in a write-ahead log the only mode that flushes at each commit, so that a power cut takes none of it.
    expect(raw.prepare('SELECT * FROM seen').get()).toEqual({ synchronous: 2, journal: 'wal' });
    raw.close();
  });
});

// A kill leaves to the kernel what was written: this shows that nobody is told before the write. That it would outlast a
// power cut rests on the flush of each commit, above.
describe('a daemon that is killed', () => {
  test('has on the disk every row it had said was written', async () => {
    const writer = join(import.meta.dirname, '../support/store-writer.ts');
    const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        if (told.split('\n').length > 40) resolve();
      });
    });
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
    const written = told.split('\n').filter((line) => /^written \d+$/.test(line)).length;

    const store = await openHere();

    const rows = await store.events({ itemId: null, type: 'node_started', afterSeq: 0, limit: 500 });
    expect(written).toBeGreaterThan(30);
    expect(rows.length).toBeGreaterThanOrEqual(written);
  });
});
