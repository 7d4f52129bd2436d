/** Time as Kraft needs it: wall time for records, monotonic time for durations. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  nowMs(): number;
  /** Milliseconds of a clock that never goes back; only differences mean anything, and only inside one boot. */
  monotonicMs(): number;
}

/** UTC RFC 3339 with milliseconds, the one form in which times are stored. */
export function toTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
