import type { FixLoop, Item, TaskFailure } from './item.ts';

/** Bounds of one fix loop (CC 6.6). */
export interface LoopBounds {
  /** Repairs that may be begun. */
  readonly maxAttempts: number;
  /** Milliseconds of sessions that its repairs and new runs may take together. */
  readonly wallClockMs: number;
}

export type LoopDecision =
  /** Begin this repair. */
  | { readonly kind: 'repair'; readonly loop: FixLoop }
  /** `stuck`: three equal failures in a row, the first run included. */
  | { readonly kind: 'stop'; readonly why: 'stuck' | 'attempts' | 'time'; readonly cycle: number };

const equalFailuresMax = 3;

/**
 * What comes after a failed run of a node with a fix loop. `usedMs`: sessions of the loop so far. The same question twice,
 * as after a crash, has the same answer: only a recorded repair moves the loop on. Pure.
 */
export function decideFixLoop(
  before: FixLoop | null,
  now: {
    readonly nodeId: string;
    readonly failures: readonly TaskFailure[];
    readonly fingerprint: string;
    readonly usedMs: number;
  },
  bounds: LoopBounds,
): LoopDecision {
  const cycle = before?.cycle ?? 0;
  const fingerprints = [...(before?.fingerprints ?? []), now.fingerprint];
  const last = fingerprints.slice(-equalFailuresMax);
  if (last.length === equalFailuresMax && last.every((print) => print === now.fingerprint)) {
    return { kind: 'stop', why: 'stuck', cycle };
  }
  if (cycle >= bounds.maxAttempts) return { kind: 'stop', why: 'attempts', cycle };
  if (cycle > 0 && now.usedMs >= bounds.wallClockMs) return { kind: 'stop', why: 'time', cycle };
  return {
    kind: 'repair',
    loop: { nodeId: now.nodeId, cycle: cycle + 1, phase: 'repair', fingerprints, failures: now.failures },
  };
}

/**
 * Which run of a task in this attempt stands next: the loop's cycles and the recoveries around it, each of which calls for
 * one more. Both only grow within an entry of a node, so that no two runs share a number. Pure.
 */
export function runOf(item: Pick<Item, 'fixLoop' | 'recovered'>, task: string): number {
  const within = (part: string): boolean => task === part || task.startsWith(`${part}.`);
  const cycle = item.fixLoop !== null && within(item.fixLoop.nodeId) ? item.fixLoop.cycle : 0;
  return cycle + item.recovered.filter(within).length;
}

/**
 * What a failure printed, without what differs from run to run (colours, numbers, times, hashes), so that two runs that
 * failed alike read alike. Pure.
 */
export function normalizeOutput(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/gu, '')
    .replace(/\b[0-9a-f]{7,}\b/giu, '#')
    .replace(/[0-9]+/gu, '#')
    .replace(/[ \t]+/gu, ' ')
    .trim();
}
