import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';
import type { ItemVerb } from './decide.ts';

/** The verb that takes the item on; null when it runs or has ended. */
export function nextVerb(item: Item): Extract<ItemVerb, 'start' | 'resume' | 'retry'> | null {
  if (item.status === 'needs_human') return 'retry';
  if (item.status === 'paused') return item.started ? 'resume' : 'start';
  return null;
}

/** `kraft item <verb> <id>`, or null when there is nothing for a person to do. */
export function renderNextCommand(item: Item): string | null {
  const verb = nextVerb(item);
  return verb === null ? null : `kraft item ${verb} ${item.id}`;
}

/** What a person runs to take the branch into what they have checked out. */
export function renderMergeCommand(item: Pick<Item, 'repo' | 'branch'>): string {
  return `git -C ${shellWord(item.repo)} merge ${item.branch}`;
}

/** Picks the one item that a typed prefix means. Errors: ITEM_UNKNOWN, ITEM_AMBIGUOUS (naming up to five). */
export function pickByPrefix(prefix: string, matches: readonly Item[]): Item {
  const exact = matches.find((item) => item.id === prefix);
  if (exact !== undefined) return exact;
  const [first, second] = matches;
  if (first === undefined) throw itemErrors.create('ITEM_UNKNOWN', { id: prefix });
  if (second === undefined) return first;
  throw itemErrors.create('ITEM_AMBIGUOUS', { id: prefix, matches: matches.slice(0, 5).map((item) => item.id) });
}

function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
