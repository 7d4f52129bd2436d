import type { FinishedLaunch } from './launch.ts';

/** What tells whether the log holds everything that was printed (PF-R20). */
export interface StreamEvidence {
  /** Exit code of the attached client; null when it left none (it was killed together with its launcher). */
  readonly clientExitCode: number | null;
  /** Exit code of the container; null when the engine could not say. */
  readonly containerExitCode: number | null;
  /** The client had ended while the container still ran. */
  readonly clientEndedFirst: boolean;
  /** The container was never created: there was nothing to print. */
  readonly notCreated: boolean;
  /** Bytes that the log cap dropped. */
  readonly droppedBytes: number;
}

/** What the log lacks; null when nothing speaks against it. The result of the session never depends on this. Pure. */
export function judgeOutput(evidence: StreamEvidence): FinishedLaunch['output'] {
  const droppedBytes = evidence.droppedBytes === 0 ? null : evidence.droppedBytes;
  const reasons = [
    ...(droppedBytes === null ? [] : ['the log reached its cap: head and tail are kept']),
    ...lostTail(evidence),
  ];
  return reasons.length === 0 ? null : { reason: reasons.join('; '), droppedBytes };
}

function lostTail(evidence: StreamEvidence): string[] {
  if (evidence.notCreated) return [];
  if (evidence.clientEndedFirst) return ['the attached client ended before the container; what came after is lost'];
  const { clientExitCode: client, containerExitCode: container } = evidence;
  if (client === null) return ['the attached client was killed; the end of the output may be lost'];
  if (container !== null && client !== container)
    return [
      `the attached client ended with code ${client} and the container with ${container}; the end of the output may be lost`,
    ];
  return [];
}
