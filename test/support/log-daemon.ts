// A daemon whose store, log reading, socket and server are real, over one item with one running session: for followers.
// argv: home, path of the session's log, cap as JSON or `null`.
// Standard input, a line each: `served` prints how many characters of log and of events were answered so far; `events N`
// records N events; `end` ends the session, saying what its log lacks.
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/base/index.ts';
import { followEvents } from '../../src/compose/follow-events.ts';
import { openHome, takeHomeLock } from '../../src/compose/index.ts';
import { toPublicItem } from '../../src/compose/item-view.ts';
import { readBoard } from '../../src/compose/list-items.ts';
import { readLog } from '../../src/compose/read-log.ts';
import { openServerLog, runDaemon } from '../../src/daemon/index.ts';
import { enforceLogCap, readDroppedRange, type LogCap } from '../../src/launch/log-cap.ts';
import { openStore } from '../../src/store/index.ts';
import { FakeKraft } from './fake-kraft.ts';
import { sampleItem, sampleSession } from './sample-item.ts';

process.umask(0o077);
const [home = '', logPath = '', capJson = 'null'] = process.argv.slice(2);
const cap = JSON.parse(capJson) as LogCap | null;
const env = { PATH: process.env['PATH'] ?? '' };
const paths = await openHome({ variables: { KRAFT_HOME: home }, cwd: '/' });
const store = await openStore({ path: join(paths.run, 'test.db'), clock: systemClock });
const itemId = 'abcd2345';
const startedAt = new Date().toISOString();
await store.createItem(sampleItem({ status: 'active', started: true }), []);
const change = { itemId, events: [], item: {}, sessions: [], expectStatus: null };
await store.apply({ ...change, sessions: [sampleSession({ status: 'running', logPath, startedAt })] });

const served = { log: 0, events: 0 };
const kraft = new FakeKraft();
kraft.readLog = async (query) => {
  const chunk = await readLog(store, { ...query, itemId });
  served.log += chunk.text.length;
  return chunk;
};
kraft.followEvents = async (query) => {
  const rows = await followEvents(store, query);
  served.events += rows.length;
  return rows;
};
kraft.events = (query) => store.events(query);
kraft.board = ({ repo }) => readBoard(store, repo);
kraft.showItem = async () => {
  const [item, sessions] = await Promise.all([store.getItem(itemId), store.listSessions({ itemId, statuses: null })]);
  return {
    item: toPublicItem(item ?? sampleItem()),
    sessions,
    nodes: [],
    spend: null,
    openThreads: 0,
    commits: [],
    mergeCommand: null,
    nextCommand: null,
  };
};

/** As a launch does while its session runs. */
async function keepUnderCap(): Promise<void> {
  if (cap === null) return;
  const why = await enforceLogCap(logPath, cap, env);
  if (why !== null) throw new TypeError(why);
}

async function recordEvents(count: number): Promise<void> {
  const payload = { node_id: 'implementation', path: 'x'.repeat(400), note: 'none' };
  for (let left = count; left > 0; left -= 500) {
    const event = { event: { type: 'scope_skipped', payload } as const, nodeId: 'implementation' };
    await store.apply({ ...change, events: Array.from({ length: Math.min(500, left) }, () => event) });
  }
}

async function endSession(): Promise<void> {
  await keepUnderCap();
  const dropped = await readDroppedRange(logPath);
  const payload = { session_id: 's1', reason: 'the log reached its cap', dropped_bytes: 0 };
  await store.apply({
    ...change,
    item: { status: 'completed' },
    sessions: [{ id: 's1', status: 'done', endedAt: new Date().toISOString() }],
    events:
      dropped === null
        ? []
        : [
            {
              event: {
                type: 'session_output_incomplete',
                payload: { ...payload, dropped_bytes: dropped.to - dropped.from },
              },
              nodeId: 'implementation',
            },
          ],
  });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [word = '', count = '0'] = line.split(' ');
  const done = {
    served: async () => Promise.resolve(),
    cap: keepUnderCap,
    events: () => recordEvents(Number(count)),
    end: endSession,
  }[word];
  void done?.().then(() => process.stdout.write(`${JSON.stringify(served)}\n`));
});

const ending = new AbortController();
process.once('SIGTERM', () => ending.abort('SIGTERM'));
await using log = openServerLog({ fd: 2, path: null, maxBytes: 1024 * 1024, keep: 3, clock: systemClock });
await runDaemon({
  paths,
  takeLock: takeHomeLock,
  openKraft: () => Promise.resolve(kraft),
  log,
  clock: systemClock,
  ended: ending.signal,
});
await store[Symbol.asyncDispose]();
process.exit(0);
