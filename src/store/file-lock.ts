import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A lock that this process holds; the kernel frees it when the process ends in any way. */
export interface FileLock extends Disposable {
  readonly path: string;
}

/**
 * Takes the exclusive lock on a file, or answers null when another process holds it. It is SQLite's own lock on an
 * empty database: node has no flock, an abstract socket could be bound by any user of the machine first, and this one
 * belongs to a file that only the owner can open. See docs/decisions/0010-locks.md.
 */
export function takeFileLock(path: string): FileLock | null {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
    chmodSync(path, 0o600);
  } catch (error) {
    database.close();
    if (error instanceof Error && error.message.includes('database is locked')) return null;
    throw error;
  }
  return {
    path,
    [Symbol.dispose]: () => {
      if (database.isOpen) database.close();
    },
  };
}
