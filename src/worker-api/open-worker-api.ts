import { asKraftError, hasCode, type Log } from '../base/index.ts';
import type { WorkerCalls, WorkerIdentity } from '../items/index.ts';
import { openCallLimits, type Alarm } from './call-limits.ts';
import { workerApiErrors } from './errors.ts';
import { matchCall, reasons, renderRoute, type WorkerCall } from './match-call.ts';
import { isOpen, renderDone, renderEvent, renderFailure, renderItem, renderThread } from './render-answer.ts';
import type { KraftAnswer, KraftRequest } from '../egress/index.ts';

/** Largest body (SI 7.4). */
export const bodyMaxBytes = 16 * 1024 * 1024;

/** What the shim says that it speaks, in the header `X-Kraft-Shim`. */
export const shimVersion = 1;

/** What a worker may ask on the host `kraft`. */
export interface WorkerApi {
  /** Never rejects. `refused` is for a 403 and an event, which is the caller's. */
  answer(who: WorkerIdentity, request: KraftRequest): Promise<KraftAnswer>;
}

export interface WorkerApiOptions {
  readonly port: WorkerCalls;
  readonly alarm: Alarm;
  readonly log: Log;
}

/** Answers the verbs and routes of CC 8.3, each bound to the item and session of its channel, within the limits of SI 7.4. */
export function openWorkerApi({ port, alarm, log }: WorkerApiOptions): WorkerApi {
  const limits = openCallLimits(alarm);
  return {
    answer: async (who, request) => {
      try {
        checkSize(request);
        const call = matchCall(who, request);
        if ('kind' in call) return call;
        checkShim(request);
        return await limits.run(who.sessionId, () => perform(port, who, call));
      } catch (thrown) {
        const error = asKraftError(thrown);
        if (!isOpen(error)) log.error(`session ${who.sessionId}: a call failed: ${error.code} ${error.message}`);
        return renderFailure(error);
      }
    },
  };
}

function checkSize({ body }: KraftRequest): void {
  if (body.length <= bodyMaxBytes) return;
  throw workerApiErrors.create('WORKER_REQUEST_TOO_LARGE', { maxBytes: bodyMaxBytes });
}

/** Whoever asks without the shim says no version, and is answered as well. */
function checkShim({ headers }: KraftRequest): void {
  const sent = headers['x-kraft-shim'];
  if (sent === undefined || sent === String(shimVersion)) return;
  throw workerApiErrors.create('SHIM_VERSION_DIFFERS', { sent: JSON.stringify(sent).slice(0, 20), own: shimVersion });
}

async function perform(port: WorkerCalls, who: WorkerIdentity, call: WorkerCall): Promise<KraftAnswer> {
  switch (call.verb) {
    case 'progress':
      await port.progress(who, call.task);
      return renderDone({ id: who.itemId, task: call.task });
    case 'reply':
      return reply(port, who, call);
    case 'retry':
      await port.retry(who, call.steer);
      return renderDone({ id: who.itemId, retried: true });
    case 'show':
      return renderDone(renderItem(await port.show(who)));
    case 'threads':
      return renderDone((await port.threads(who, call)).map(renderThread));
    case 'events':
      return renderDone((await port.events(who, call)).map(renderEvent));
  }
}

async function reply(
  port: WorkerCalls,
  who: WorkerIdentity,
  call: Extract<WorkerCall, { verb: 'reply' }>,
): Promise<KraftAnswer> {
  try {
    return renderDone(renderThread(await port.reply(who, call)));
  } catch (error) {
    // A thread of another item is as unknown as none at all, and neither is a worker's to name (9.10 H2).
    if (!hasCode(error, 'THREAD_UNKNOWN')) throw error;
    return {
      kind: 'refused',
      route: renderRoute('POST', `/api/threads/${call.thread}/replies`),
      reason: reasons.thread,
    };
  }
}
