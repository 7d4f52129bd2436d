import { defineCommand, flag, type Io } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { startInBackground } from '../start-in-background.ts';

export const adminStart = defineCommand({
  description:
    'Starts the daemon that runs items. It serves one home on `run/kraft.sock` and no network port. In the foreground it\nlogs to standard error; an interrupt ends it and leaves running sessions for the next daemon to adopt.',
  arguments: [],
  options: { detach: flag('Go on in the background, logging to run/logs/server.log', 'd') },
  examples: [
    { line: 'kraft admin start --detach', does: 'Start it and come back when it answers.' },
    { line: 'kraft admin start', does: 'Watch it in this terminal.' },
  ],
  run: async (parsed, io) => {
    if (parsed.options.detach) return startInBackground(io);
    const code = await startHere(io);
    // Everything is closed and logged; a pull or fetch that is still under way must not keep the process.
    process.exit(code);
  },
});

async function startHere(io: Io): Promise<number> {
  const [{ openHome, openKraft, takeHomeLock }, { openServerLog, runDaemon, serverLogLimits }, { systemClock }] =
    await Promise.all([
      import('../../compose/index.ts'),
      import('../../daemon/index.ts'),
      import('../../base/index.ts'),
    ]);
  const paths = await openHome(io);
  const clock = systemClock;
  await using log = openServerLog({
    fd: process.stderr.fd,
    path: `${paths.run}/logs/server.log`,
    ...serverLogLimits,
    clock,
  });
  const ending = new AbortController();
  // A second signal ends the process at once: sessions go on all the same.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ending.abort(signal));
  await runDaemon({
    paths,
    takeLock: takeHomeLock,
    openKraft: () => openKraft({ ...io, paths, log }),
    log,
    clock,
    ended: ending.signal,
  });
  return exitCodes.ok;
}
