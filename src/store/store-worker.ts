import { parentPort, workerData } from 'node:worker_threads';
import { KraftError } from '../base/index.ts';
import type { EventRow } from '../events/index.ts';
import { Database } from './database.ts';
import { migrations } from './migrations.ts';
import type { Failure, Request, Response } from './protocol.ts';

// The thread that owns the database: opens it, answers one call after the other, closes it when asked.

const writes: ReadonlySet<string> = new Set(['createItem', 'apply', 'applyReview']);
const port = parentPort;
if (port !== null) serve(port);

function serve(to: NonNullable<typeof parentPort>): void {
  const send = (response: Response): void => to.postMessage(response);
  let database: Database;
  try {
    database = new Database((workerData as { path: string }).path, migrations);
  } catch (error) {
    send({ kind: 'refused', error: toFailure(error) });
    to.close();
    return;
  }
  to.on('message', (message: Request | 'close') => {
    if (message === 'close') {
      database.close();
      send({ kind: 'closed' });
      to.close();
      return;
    }
    send(answer(database, message));
  });
  send({ kind: 'opened' });
}

function answer(database: Database, { id, method, args }: Request): Response {
  try {
    const value = (database[method] as (...all: readonly unknown[]) => unknown).apply(database, [...args]);
    const committed = writes.has(method) ? (value as readonly EventRow[]) : [];
    return { kind: 'answer', id, value: writes.has(method) ? null : value, committed };
  } catch (error) {
    return { kind: 'failed', id, error: toFailure(error) };
  }
}

function toFailure(error: unknown): Failure {
  if (error instanceof KraftError) return { report: error.report };
  return { text: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
