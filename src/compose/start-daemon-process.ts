import { startDetached, type DetachedProcess } from '../process/index.ts';
import type { Environment } from './environment.ts';

export type DaemonProcess = DetachedProcess;

/** The young generation stays small: an idle daemon then keeps little of what loading its modules took (MiB). */
const heapFlags = ['--max-semi-space-size=2'];

/** Starts this same program as a daemon of its own: the arguments are those of `kraft admin start`. */
export function startDaemonProcess(
  options: Pick<Environment, 'variables' | 'personUmask'> & {
    /** Script and arguments for the running Node. */
    readonly args: readonly string[];
    readonly cwd: string;
    readonly logPath: string;
  },
): Promise<DaemonProcess> {
  return startDetached({
    file: process.execPath,
    args: [...process.execArgv, ...heapFlags, ...options.args],
    env: options.variables,
    cwd: options.cwd,
    logPath: options.logPath,
    umask: options.personUmask,
  });
}
