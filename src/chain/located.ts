import type { DocumentPath, SourceDocument } from '../base/index.ts';

/** Where something was written. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A value of a document with the place of each of its parts, which they keep when documents are merged. */
export type Located =
  | { readonly kind: 'map'; readonly place: Place; readonly entries: ReadonlyMap<string, Located> }
  | { readonly kind: 'list'; readonly place: Place; readonly items: readonly Located[] }
  | { readonly kind: 'value'; readonly place: Place; readonly value: unknown };

export type LocatedMap = Extract<Located, { kind: 'map' }>;

/** The data of a document, placed. */
export function locate(file: string, document: SourceDocument): Located {
  const visit = (value: unknown, path: DocumentPath): Located => {
    const place = { file, line: document.lineOf(path) };
    if (Array.isArray(value)) return { kind: 'list', place, items: value.map((item, i) => visit(item, [...path, i])) };
    if (typeof value !== 'object' || value === null) return { kind: 'value', place, value };
    const entries = Object.entries(value).map(([key, below]) => [key, visit(below, [...path, key])] as const);
    return { kind: 'map', place, entries: new Map(entries) };
  };
  return visit(document.data, []);
}

/** `own` over `base`: mappings are merged key by key, everything else is `own`’s where it says something. */
export function mergeLocated(base: Located, own: Located): Located {
  if (base.kind !== 'map' || own.kind !== 'map') return own;
  const entries = new Map(base.entries);
  // Two spellings of one thing: the one that is written here takes the place of the other.
  if (own.entries.has('tasks')) entries.delete('steps');
  if (own.entries.has('steps')) entries.delete('tasks');
  for (const [key, value] of own.entries) {
    const below = entries.get(key);
    entries.set(key, below === undefined ? value : mergeLocated(below, value));
  }
  return { kind: 'map', place: own.place, entries };
}

export function toData(located: Located): unknown {
  if (located.kind === 'value') return located.value;
  if (located.kind === 'list') return located.items.map(toData);
  return Object.fromEntries([...located.entries].map(([key, value]) => [key, toData(value)]));
}

/** The place of what is at `path`; of its nearest written ancestor when nothing is there. */
export function placeAt(located: Located, path: DocumentPath): Place {
  const [head, ...rest] = path;
  if (head === undefined) return located.place;
  const below = located.kind === 'list' ? located.items[Number(head)] : entryOf(located, String(head));
  return below === undefined ? located.place : placeAt(below, rest);
}

/** The value under `key` of a mapping. */
export function entryOf(located: Located | undefined, key: string): Located | undefined {
  return located?.kind === 'map' ? located.entries.get(key) : undefined;
}

/** The text under `key`; null when it is missing or no text. */
export function textOf(located: Located | undefined, key: string): string | null {
  const below = entryOf(located, key);
  return below?.kind === 'value' && typeof below.value === 'string' ? below.value : null;
}

/** The mappings of the list under `key`. */
export function mapsOf(located: Located | undefined, key: string): readonly LocatedMap[] {
  const below = entryOf(located, key);
  return below?.kind === 'list' ? below.items.filter((item) => item.kind === 'map') : [];
}
