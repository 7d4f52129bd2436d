import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { EventRow } from '../events/index.ts';
import { itemErrors, type Item, type Thread, type ThreadView } from '../items/index.ts';
import { storeErrors } from './errors.ts';
import {
  columnNames,
  itemCells,
  sessionCells,
  threadCells,
  toComment,
  toEvent,
  toItem,
  toSession,
  toThread,
  type Cell,
} from './rows.ts';
import type { BoardRows, Change, EventQuery, ReviewChange, SessionRow, Store } from './store.ts';

/** What the worker thread answers a write with: the rows that the commit added. */
type Committed = readonly EventRow[];

interface Events {
  readonly itemId: string;
  readonly events: Change['events'];
  readonly at: string;
}

// Of a session that said how many tokens went in but not how many came out, what it said counts.
const tokenColumns = ['inputTokens', 'cachedTokens', 'outputTokens'];
const spendSums =
  `sum(CASE WHEN coalesce(${tokenColumns.join(', ')}) IS NULL THEN NULL ` +
  `ELSE ${tokenColumns.map((name) => `coalesce(${name}, 0)`).join(' + ')} END) AS tokens, sum(costUsd) AS costUsd`;

/** The database itself, called in the worker thread alone; every method is one transaction. */
export class Database {
  readonly #path: string;
  readonly #steps: readonly string[];
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  /** Opens, checks the version, migrates by `steps`. Preconditions: the file exists (it may be empty). */
  constructor(path: string, steps: readonly string[]) {
    this.#path = path;
    this.#steps = steps;
    this.#db = this.#guard(() => new DatabaseSync(path, { timeout: 5_000 }));
    try {
      this.#guard(() => this.#prepareFile());
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  createItem(item: Item, events: Change['events'], at: string): Committed {
    return this.#transaction(() => {
      this.#insert('items', itemCells(item));
      return this.#append({ itemId: item.id, events, at });
    });
  }

  apply(change: Change, at: string): Committed {
    return this.#transaction(() => this.#change(change, at));
  }

  applyReview(change: ReviewChange, at: string): Committed {
    return this.#transaction(() => {
      for (const thread of change.threads) this.#saveThread(thread, at);
      for (const { threadId, author, body, claim } of change.comments) {
        this.#statement('INSERT INTO comments (threadId, author, body, claim, createdAt) VALUES (?, ?, ?, ?, ?)').run(
          threadId,
          author,
          body,
          claim,
          at,
        );
      }
      return this.#change(change, at);
    });
  }

  listThreads(itemId: string): readonly ThreadView[] {
    const comments = this.#statement('SELECT * FROM comments WHERE threadId = ? ORDER BY seq');
    return this.#statement('SELECT * FROM threads WHERE itemId = ? ORDER BY rowid')
      .all(itemId)
      .map(toThread)
      .map((thread) => ({ ...thread, comments: comments.all(thread.id).map(toComment) }));
  }

  findThreads(prefix: string): readonly Thread[] {
    const found = this.#statement('SELECT * FROM threads WHERE id >= ? AND id < ? ORDER BY id LIMIT 20');
    return found.all(prefix, `${prefix}\u{10ffff}`).map(toThread);
  }

  getItem(id: string): Item | null {
    const row = this.#statement('SELECT * FROM items WHERE id = ?').get(id);
    return row === undefined ? null : toItem(row);
  }

  findItems(prefix: string): readonly Item[] {
    const found = this.#statement('SELECT * FROM items WHERE id >= ? AND id < ? ORDER BY id LIMIT 20');
    return found.all(prefix, `${prefix}\u{10ffff}`).map(toItem);
  }

  listItems(filter: { readonly repo: string | null; readonly statuses: readonly string[] | null }): readonly Item[] {
    const { where, values } = conditions([
      ['repo = ?', filter.repo],
      ['status IN (SELECT value FROM json_each(?))', filter.statuses && JSON.stringify(filter.statuses)],
    ]);
    return this.#statement(`SELECT * FROM items ${where} ORDER BY createdAt, id`)
      .all(...values)
      .map(toItem);
  }

  getSession(id: string): SessionRow | null {
    const row = this.#statement('SELECT * FROM sessions WHERE id = ?').get(id);
    return row === undefined ? null : toSession(row);
  }

  listSessions(filter: {
    readonly itemId: string | null;
    readonly statuses: readonly string[] | null;
  }): readonly SessionRow[] {
    const { where, values } = conditions([
      ['itemId = ?', filter.itemId],
      ['status IN (SELECT value FROM json_each(?))', filter.statuses && JSON.stringify(filter.statuses)],
    ]);
    return this.#statement(`SELECT * FROM sessions ${where} ORDER BY createdAt, rowid`)
      .all(...values)
      .map(toSession);
  }

  events(query: EventQuery): readonly EventRow[] {
    const { where, values } = conditions([
      ['seq > ?', query.afterSeq],
      ['itemId = ?', query.itemId],
      ['type = ?', query.type],
    ]);
    const limit = Math.min(500, Math.max(1, query.limit));
    return this.#statement(`SELECT * FROM events ${where} ORDER BY seq LIMIT ?`)
      .all(...values, limit)
      .map(toEvent);
  }

  board(query: Parameters<Store['board']>[0]): BoardRows {
    const items = [
      ...this.#boardItems(query.repo, "NOT IN ('completed', 'abandoned')", -1),
      ...this.#boardItems(query.repo, "= 'completed' AND archivedAt IS NULL", query.completedMax),
    ];
    const ids = JSON.stringify(items.map((item) => item.id));
    const among = 'IN (SELECT value FROM json_each(?))';
    const sessions = this.#statement(
      `SELECT * FROM sessions WHERE status IN ('pending', 'running') AND itemId ${among} ORDER BY createdAt, rowid`,
    );
    const events = this.#statement(
      `SELECT * FROM events WHERE seq IN (SELECT max(seq) FROM events WHERE itemId ${among} GROUP BY itemId)`,
    );
    const spend = this.#statement(
      `SELECT itemId, ${spendSums} FROM sessions WHERE itemId ${among} GROUP BY itemId HAVING tokens IS NOT NULL OR costUsd IS NOT NULL`,
    );
    return {
      seq: Number(this.#statement('SELECT max(seq) AS seq FROM events').get()?.['seq'] ?? 0),
      items,
      sessions: sessions.all(ids).map(toSession),
      events: events.all(ids).map(toEvent),
      spend: spend.all(ids) as unknown as BoardRows['spend'],
    };
  }

  spentUsd(since: string): number {
    const sum =
      'SELECT sum(costUsd) AS usd FROM sessions WHERE costUsd IS NOT NULL AND (endedAt IS NULL OR endedAt >= ?)';
    return Number(this.#statement(sum).get(since)?.['usd'] ?? 0);
  }

  close(): void {
    this.#db.close();
  }

  #boardItems(repo: string | null, status: string, limit: number): readonly Item[] {
    const { where, values } = conditions([['repo = ?', repo]]);
    const matching = `${where === '' ? 'WHERE' : `${where} AND`} status ${status}`;
    return this.#statement(`SELECT * FROM items ${matching} ORDER BY updatedAt DESC, id LIMIT ?`)
      .all(...values, limit)
      .map(toItem);
  }

  #change(change: Change, at: string): Committed {
    const item = this.getItem(change.itemId);
    if (item === null) throw itemErrors.create('ITEM_UNKNOWN', { id: change.itemId });
    if (change.expectStatus !== null && !change.expectStatus.includes(item.status)) {
      throw storeErrors.create('ITEM_MOVED', { id: item.id, status: item.status, expected: change.expectStatus });
    }
    if (Object.keys(change.item).length > 0) {
      this.#update('items', itemCells({ ...item, updatedAt: at, ...change.item, id: item.id }));
    }
    for (const session of change.sessions) this.#saveSession(session);
    return this.#append({ itemId: change.itemId, events: change.events, at });
  }

  #prepareFile(): void {
    const found = Number(this.#db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
    const known = this.#steps.length;
    if (found > known) {
      throw storeErrors.create('STORE_TOO_NEW', { path: this.#path, found, known });
    }
    const mode = this.#db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
    if (mode !== 'wal') {
      throw storeErrors.create('STORE_UNUSABLE', { path: this.#path, why: 'its file system has no write-ahead log' });
    }
    // FULL: a commit is on the disk before anybody is told of it, also when the power goes right after.
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    if (found > 0 && found < known) this.#copyFile(`${this.#path}.v${found}.bak`);
    this.#steps.slice(found).forEach((step, index) => {
      this.#transaction(() => this.#db.exec(`${step}; PRAGMA user_version = ${found + index + 1};`));
    });
  }

  #copyFile(copy: string): void {
    const part = `${copy}.part`;
    rmSync(part, { force: true });
    // Made here with its mode: SQLite writes into an empty file that exists, and would make a new one under the umask.
    closeSync(openSync(part, 'wx', 0o600));
    this.#db.prepare('VACUUM INTO ?').run(part);
    const written = openSync(part, 'r');
    fsyncSync(written);
    closeSync(written);
    renameSync(part, copy);
  }

  #append({ itemId, events, at }: Events): Committed {
    const insert = this.#statement(
      'INSERT INTO events (itemId, type, payload, nodeId, createdAt) VALUES (?, ?, ?, ?, ?) RETURNING *',
    );
    return events.map(({ event, nodeId }) => {
      const row = insert.get(itemId, event.type, JSON.stringify(event.payload), nodeId, at);
      return toEvent(row ?? {});
    });
  }

  #saveSession(session: Change['sessions'][number]): void {
    const known = this.getSession(session.id);
    if (known === null) this.#insert('sessions', sessionCells(session));
    else this.#update('sessions', sessionCells({ ...known, ...session }));
  }

  #saveThread(thread: ReviewChange['threads'][number], at: string): void {
    const known = this.#statement('SELECT * FROM threads WHERE id = ?').get(thread.id);
    const createdAt = known === undefined ? at : toThread(known).createdAt;
    const cells = threadCells({ ...thread, createdAt, updatedAt: at });
    if (known === undefined) this.#insert('threads', cells);
    else this.#update('threads', cells);
  }

  #insert(table: keyof typeof columnNames, cells: Record<string, Cell>): void {
    const names = columnNames[table];
    const holes = names.map((name) => `:${name}`).join(', ');
    this.#statement(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${holes})`).run(cells);
  }

  #update(table: keyof typeof columnNames, cells: Record<string, Cell>): void {
    const sets = columnNames[table].filter((name) => name !== 'id').map((name) => `${name} = :${name}`);
    this.#statement(`UPDATE ${table} SET ${sets.join(', ')} WHERE id = :id`).run(cells);
  }

  #statement(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const made = this.#db.prepare(sql);
    this.#prepared.set(sql, made);
    return made;
  }

  #transaction<T>(body: () => T): T {
    return this.#guard(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const value = body();
        this.#db.exec('COMMIT');
        return value;
      } catch (error) {
        // SQLite has rolled back by itself after some errors (a full disk).
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  #guard<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw toStoreError(error, this.#path);
    }
  }
}

const primary = { ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26, busy: 5, readOnly: 8 } as const;

function toStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const why = error.message;
  switch (error.errcode & 0xff) {
    case primary.corrupt:
    case primary.notADatabase:
      return storeErrors.create('STORE_CORRUPT', { path, why }, error);
    case primary.full:
      return storeErrors.create('STORE_FULL', { path }, error);
    case primary.ioError:
    case primary.cantOpen:
    case primary.busy:
    case primary.readOnly:
      return storeErrors.create('STORE_UNUSABLE', { path, why }, error);
    default:
      return error;
  }
}

function conditions(parts: readonly (readonly [string, Cell])[]): { where: string; values: Cell[] } {
  const used = parts.filter(([, value]) => value !== null);
  const where = used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`;
  return { where, values: used.map(([, value]) => value) };
}
