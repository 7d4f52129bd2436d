import { closestKey } from '../base/index.ts';

/** The one of `known` that was probably meant: within two edits, or the only one that begins like it; else null. */
export function suggest(typed: string, known: readonly string[]): string | null {
  const near = closestKey(typed, known);
  if (near !== null) return near;
  const beginning = known.filter((word) => typed.length > 2 && word.startsWith(typed));
  return beginning.length === 1 ? (beginning[0] ?? null) : null;
}
