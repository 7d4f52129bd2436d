import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asKraftError, safeText } from '../base/index.ts';
import type { DaemonProcess, Health } from '../compose/index.ts';
import type { DaemonClient } from '../daemon-client/index.ts';
import type { Io } from './command.ts';
import { cliErrors } from './errors.ts';
import { exitCodes } from './exit-codes.ts';
import { openClient } from './remote-kraft.ts';

const answersWithinMs = 60_000;
const askAgainMs = 50;
const lastLinesShown = 15;

/**
 * Starts the daemon in a process session of its own and comes back once it has answered a request (PF-D06). Errors:
 * DAEMON_DIED, after its last log lines have been printed.
 */
export async function startInBackground(io: Io): Promise<number> {
  const { openHome, startDaemonProcess } = await import('../compose/index.ts');
  const paths = await openHome(io);
  const logPath = join(paths.run, 'logs', 'server.log');
  const client = openClient(io);
  const running = await client.findHealth<Health>();
  if (running !== null) {
    const { daemonErrors } = await import('../daemon/index.ts');
    throw daemonErrors.create('DAEMON_RUNNING', { home: paths.home, pid: running.pid });
  }
  const started = await startDaemonProcess({
    args: [process.argv[1] ?? '', 'admin', 'start'],
    logPath,
    cwd: paths.home,
    personUmask: io.personUmask,
    variables: io.variables,
  });
  const health = await untilAnswered(client, started, { io, logPath });
  io.out(`The daemon runs (pid ${health.pid}); its log is ${logPath}.\n`);
  return exitCodes.ok;
}

async function untilAnswered(
  client: DaemonClient,
  started: DaemonProcess,
  about: { readonly io: Io; readonly logPath: string },
): Promise<Health> {
  const deadlineMs = performance.now() + answersWithinMs;
  const ended: string[] = [];
  const exited = started.exited.then((code) => {
    ended.push(`it ended with ${code === null ? 'a signal' : `exit code ${code}`}`);
  });
  let problem = 'it does not answer';
  while (ended.length === 0 && performance.now() < deadlineMs) {
    try {
      const health = await client.findHealth<Health>();
      if (health !== null && health.pid === started.pid) return health;
    } catch (error) {
      problem = asKraftError(error).message;
    }
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, askAgainMs))]);
  }
  const lines = await readLastLines(about.logPath, started.logOffset);
  for (const line of lines) about.io.err(`  ${safeText(line)}\n`);
  throw cliErrors.create('DAEMON_DIED', { why: ended[0] ?? problem, lastLines: lines });
}

/** The last lines that this start wrote. */
async function readLastLines(path: string, offset: number): Promise<readonly string[]> {
  try {
    const bytes = await readFile(path);
    return bytes.subarray(offset).toString('utf8').trimEnd().split('\n').slice(-lastLinesShown);
  } catch {
    return [];
  }
}
