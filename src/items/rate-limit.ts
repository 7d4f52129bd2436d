const minute = 60_000;
const waitMinMs = minute;
const waitMaxMs = 7 * 24 * 60 * minute;
const firstWaitMs = 5 * minute;

export type RateLimitDecision =
  { readonly kind: 'wait'; readonly untilMs: number } | { readonly kind: 'stop'; readonly times: number };

/**
 * When an item goes on whose task was refused by every provider that it may use: at the earliest time that one of them
 * named, at least a minute and at most a week from now. Who named none (null) is asked again after 5 minutes, and after twice
 * as long each time. `before`: how often in a row it waited already; `retries` of these are enough. Pure.
 */
export function decideRateLimit(
  nowMs: number,
  resetsAt: readonly (string | null)[],
  { before, retries }: { readonly before: number; readonly retries: number },
): RateLimitDecision {
  if (before >= retries) return { kind: 'stop', times: before + 1 };
  const unknownMs = nowMs + Math.min(waitMaxMs, firstWaitMs * 2 ** Math.min(before, 16));
  const named = resetsAt.map((at) => {
    const ms = at === null ? NaN : Date.parse(at);
    return Number.isFinite(ms) ? ms : unknownMs;
  });
  const earliestMs = named.length === 0 ? unknownMs : Math.min(...named);
  return { kind: 'wait', untilMs: Math.min(nowMs + waitMaxMs, Math.max(nowMs + waitMinMs, earliestMs)) };
}
