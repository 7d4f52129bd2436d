// A daemon over a facade in memory: the real lock, socket and server, for tests that kill processes.
// argv: home, number of sessions that run.
import { join } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { takeHomeLock, openHome } from '../../src/compose/index.ts';
import { openServerLog, runDaemon } from '../../src/daemon/index.ts';
import { FakeKraft } from './fake-kraft.ts';

process.umask(0o077);
const [home = '', sessions = '0'] = process.argv.slice(2);
const paths = await openHome({ variables: { KRAFT_HOME: home }, cwd: '/' });
const kraft = new FakeKraft();
kraft.sessions = Number(sessions);
const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ending.abort(signal));
await using log = openServerLog({
  fd: 2,
  path: join(paths.run, 'logs', 'server.log'),
  maxBytes: 1024 * 1024,
  keep: 3,
  clock: systemClock,
});
await runDaemon({
  paths,
  takeLock: takeHomeLock,
  openKraft: () => Promise.resolve(kraft),
  log,
  clock: systemClock,
  ended: ending.signal,
});
