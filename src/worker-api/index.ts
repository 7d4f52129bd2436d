export { bodyMaxBytes, openWorkerApi, shimVersion, type WorkerApi, type WorkerApiOptions } from './open-worker-api.ts';
export { callTimeoutMs, runningMax, waitingMax, type Alarm } from './call-limits.ts';
export { placeShim } from './place-shim.ts';
export { workerApiErrors } from './errors.ts';
