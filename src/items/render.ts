import { itemErrors } from './errors.ts';
import type { Item } from './item.ts';
import type { ItemVerb } from './decide.ts';

/** The verb that takes the item on; null when it runs or has ended. */
export function nextVerb(item: Item): Extract<ItemVerb, 'start' | 'resume'> | 'retry' | 'approve' | null {
  if (item.status === 'needs_human') return item.stop?.kind === 'gate' ? 'approve' : 'retry';
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

/** What a person runs to see the whole of a branch's changes; `flags` as git takes them. */
export function renderDiffCommand(
  item: Pick<Item, 'repo' | 'branch'> & { readonly baseCommit: string },
  flags: readonly string[],
): string {
  return ['git', '-C', shellWord(item.repo), 'diff', ...flags, item.baseCommit.slice(0, 12), item.branch].join(' ');
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
