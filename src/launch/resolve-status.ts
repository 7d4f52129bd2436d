import type { KraftError } from '../base/index.ts';
import type { SessionStatus } from '../events/index.ts';
import { launchErrors } from './errors.ts';
import type { LaunchRole, StopCause, FinishedLaunch } from './launch.ts';
import type { ResultReading } from './read-result.ts';

/** Everything that is known once a launch is over. */
export interface LaunchEvidence {
  readonly role: LaunchRole;
  /** Why Kraft ended it; null when it ended by itself. */
  readonly cause: StopCause | null;
  readonly reading: ResultReading;
  /** The container's own exit code, else the client's; null when neither is known. */
  readonly exitCode: number | null;
  /** The engine's own words when the container was never created; null when it was. */
  readonly notCreated: string | null;
  /** Why the engine cannot have told how it ended (restarted, reset, without an answer); null when it has. */
  readonly engineLost: string | null;
  readonly oom: FinishedLaunch['oom'];
  /** The machine as a whole ran out of memory when it ended. */
  readonly hostShort: boolean;
  /** Why Kraft ended it, for the causes `log` and `relay`. */
  readonly failure: KraftError | null;
}

export interface ResolvedStatus {
  readonly status: Exclude<SessionStatus, 'pending' | 'running'>;
  readonly reason: string | null;
  /** Set for a configuration error, and where the cause has a remedy of its own. */
  readonly error: KraftError | null;
}

/** The one decision on how a launch ended (SI 1.14; the order is the rule). Pure. */
export function resolveStatus(evidence: LaunchEvidence): ResolvedStatus {
  const { cause, reading, oom } = evidence;
  if (cause !== null && cause in stopped) return stopped[cause as keyof typeof stopped];
  if (evidence.failure !== null) return configError(evidence.failure);
  if (reading.kind === 'result') {
    const { status } = reading.result;
    return {
      status,
      reason: status === 'failed' ? (reading.result.concerns ?? 'the worker says so') : null,
      error: null,
    };
  }
  if (evidence.notCreated !== null) return configError(notCreatedError(evidence.notCreated));
  if (oom !== null) return configError(launchErrors.create('MEMORY_LIMIT_REACHED', oom));
  const heard = !evidence.hostShort && evidence.engineLost === null;
  if (reading.kind === 'invalid' && heard) return { status: 'failed', reason: reading.why, error: null };
  return endedAlone(evidence);
}

/** Nobody stopped it and it said nothing of itself: the machine and its exit code speak. */
function endedAlone(evidence: LaunchEvidence): ResolvedStatus {
  const { role, engineLost, exitCode, reading } = evidence;
  if (engineLost !== null) {
    const error = launchErrors.create('ENGINE_LOST', { why: engineLost });
    return { status: 'unknown', reason: error.message, error };
  }
  if (role !== 'agent' && exitCode === 0 && reading.kind === 'none')
    return { status: 'done', reason: null, error: null };
  if (evidence.hostShort) {
    // Not `failed`: the task has not been heard, so nothing about its work is known.
    const error = launchErrors.create('HOST_MEMORY_SHORT', { exitCode });
    return { status: 'unknown', reason: error.message, error };
  }
  return { status: 'failed', reason: role === 'agent' ? noResult(exitCode) : endedWith(exitCode), error: null };
}

const stopped = {
  pause: { status: 'paused', reason: null, error: null },
  cap: { status: 'capped_out', reason: 'its time cap was reached', error: null },
  cancel: { status: 'failed', reason: 'it was cancelled', error: null },
} as const;

function configError(error: KraftError): ResolvedStatus {
  return { status: 'config_error', reason: error.message, error };
}

/** The engine's words as a catalogued error; what has a better-known cause gets that cause's remedy (PF-U09). */
export function notCreatedError(words: string): KraftError {
  const fewIds = /insufficient UIDs or GIDs|not enough (?:unused )?ids|lchown .*invalid argument/iu.test(words);
  return launchErrors.create(fewIds ? 'SUBORDINATE_IDS_TOO_FEW' : 'CONTAINER_NOT_CREATED', { words });
}

function noResult(exitCode: number | null): string {
  return `the agent ${endedWith(exitCode).replace('it ', '')} and wrote no result`;
}

function endedWith(exitCode: number | null): string {
  return exitCode === null ? 'it ended without an exit code' : `it ended with exit code ${exitCode}`;
}
