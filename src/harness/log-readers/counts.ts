import type { TokenCounts } from './tally.ts';

/** Counts as a product tells them: each null where it tells nothing. */
export type ToldCounts = { readonly [Key in keyof TokenCounts]: number | null };

const tokensMax = 1e12;
const keys = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

export const noTokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function isAmount(value: number | null): value is number {
  return value !== null && Number.isFinite(value) && value >= 0;
}

/** What was told, as counts: nothing told, or nonsense, is 0, and no count is larger than can be added up. */
export function toCounts(told: ToldCounts): TokenCounts {
  return mapCounts((key) => (isAmount(told[key]) ? Math.min(Math.floor(told[key]), tokensMax) : 0));
}

export function sumCounts(left: TokenCounts, right: TokenCounts): TokenCounts {
  return mapCounts((key) => Math.min(left[key] + right[key], tokensMax));
}

/** By how much `later` is more than `earlier`, each count at least 0. */
export function moreCounts(later: TokenCounts, earlier: TokenCounts): TokenCounts {
  return mapCounts((key) => Math.max(0, later[key] - earlier[key]));
}

export function largerCounts(left: TokenCounts, right: TokenCounts): TokenCounts {
  return mapCounts((key) => Math.max(left[key], right[key]));
}

function mapCounts(count: (key: keyof TokenCounts) => number): TokenCounts {
  const [input, output, cacheRead, cacheWrite] = keys.map(count) as [number, number, number, number];
  return { input, output, cacheRead, cacheWrite };
}
