export { run, runRequest, type RunRequest, type RunResult } from './run.ts';
export { startClient, type ClientRequest, type StartedClient } from './client.ts';
export { identify, isAlive, runningForMs, signalGroup, type ProcessIdentity } from './identity.ts';
export { endOrphans, endProcessesIn, markStarted } from './orphans.ts';
export { findProgram } from './find.ts';
export { listAbandoned, temporaryName } from './temporary.ts';
export { processErrors } from './errors.ts';
export { startDetached, type DetachedProcess, type DetachedRequest } from './detached.ts';
export { showInPager, type PagerRequest } from './pager.ts';
