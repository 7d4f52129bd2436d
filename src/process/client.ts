import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { identify, type ProcessIdentity } from './identity.ts';
import { processErrors } from './errors.ts';

/** A process that outlives the daemon: its own process session, output straight into a file, exit code in a sidecar. */
export interface ClientRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** stdout and stderr are appended here by the process itself, so that no output depends on the daemon being alive. */
  readonly logPath: string;
  /** The exit code lands here as decimal text, by rename, once the process has ended. */
  readonly exitPath: string;
}

export interface StartedClient extends ProcessIdentity {
  /** Resolves when the client (not the container) has ended, for the process that started it. */
  readonly ended: Promise<void>;
}

// The trap is a handler, not an ignore: the child keeps the default disposition and gets the group's signal itself,
// while the shell lives on to write the exit code. The shell's own remarks ("Terminated") stay out of the log.
const launcher =
  'trap : INT TERM HUP; exit_path=$1; shift; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); code=$?; ' +
  'printf "%s\\n" "$code" >"$exit_path.tmp" && mv "$exit_path.tmp" "$exit_path"';

/** Starts a client. Errors: CLIENT_NOT_STARTED when the system refuses (missing cwd, no process). */
export async function startClient(request: ClientRequest): Promise<StartedClient> {
  const log = openSync(request.logPath, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', launcher, 'kraft-client', request.exitPath, request.file, ...request.args], {
      cwd: request.cwd,
      env: { ...request.env },
      detached: true,
      stdio: ['ignore', log, log],
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(processErrors.create('CLIENT_NOT_STARTED', { program: request.file, why: error.message }, error)),
      );
    });
    child.unref();
    const identity = child.pid === undefined ? null : identify(child.pid);
    // It may be over already; the pid alone then names nothing that is alive, which is what a later check should find.
    return { ...(identity ?? { pid: child.pid ?? 0, bootId: '', startTicks: '' }), ended };
  } finally {
    closeSync(log);
  }
}
