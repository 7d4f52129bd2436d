import { workerApiErrors } from './errors.ts';

/** Calls once after a time; what it answers takes that back. */
export type Alarm = (ms: number, ring: () => void) => () => void;

/** From a call's arrival to its answer, waiting included (SI 7.4). */
export const callTimeoutMs = 30_000;
/** Calls of one session that run at once; the next ones wait. */
export const runningMax = 4;
/** Calls of one session that wait. */
export const waitingMax = 64;

export interface CallLimits {
  /** Runs a call of a session when its turn comes. Errors: WORKER_CALLS_CROWDED, WORKER_CALL_SLOW, its own. */
  run<T>(sessionId: string, call: () => Promise<T>): Promise<T>;
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/** Bounds on what the sessions ask at once, each session for itself. */
export function openCallLimits(alarm: Alarm): CallLimits {
  const lanes = new Map<string, Lane>();
  return {
    run: (sessionId, call) => {
      const lane = lanes.get(sessionId) ?? { running: 0, waiting: [] };
      lanes.set(sessionId, lane);
      return enter(lane, call, { alarm, emptied: () => lanes.delete(sessionId) });
    },
  };
}

function enter<T>(
  lane: Lane,
  call: () => Promise<T>,
  { alarm, emptied }: { readonly alarm: Alarm; readonly emptied: () => void },
): Promise<T> {
  if (lane.waiting.length >= waitingMax) {
    return Promise.reject(workerApiErrors.create('WORKER_CALLS_CROWDED', { waiting: waitingMax }));
  }
  return new Promise<T>((resolve, reject) => {
    const begin = (): void => {
      lane.running += 1;
      void call()
        .then(resolve, reject)
        .finally(() => {
          silence();
          lane.running -= 1;
          // One that is too slow keeps its place until it is over: nobody runs more at once by not waiting for answers.
          lane.waiting.shift()?.();
          if (lane.running === 0) emptied();
        });
    };
    const silence = alarm(callTimeoutMs, () => {
      const at = lane.waiting.indexOf(begin);
      if (at !== -1) lane.waiting.splice(at, 1);
      reject(workerApiErrors.create('WORKER_CALL_SLOW', { seconds: callTimeoutMs / 1000 }));
    });
    if (lane.running < runningMax) begin();
    else lane.waiting.push(begin);
  });
}
