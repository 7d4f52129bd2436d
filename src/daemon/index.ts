export { errorAnswer, startServer, type RunningServer, type ServerOptions } from './server.ts';
export { runDaemon, type DaemonOptions } from './run-daemon.ts';
export { openServerLog, serverLogLimits, type ServerLog } from './server-log.ts';
export { daemonErrors } from './errors.ts';
