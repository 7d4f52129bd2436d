import { closestKey } from '../base/index.ts';
import { entryOf, mapsOf, mergeLocated, textOf, type Located, type LocatedMap, type Place } from './located.ts';

/** One thing that is wrong with a chain file; `remedy` null leaves the general one. */
export interface ChainProblem {
  readonly place: Place;
  /** A clause with its subject, without its period. */
  readonly problem: string;
  readonly remedy: string | null;
}

export type ChainSources = ReadonlyMap<string, Located>;

const reference = /^(?:([a-z][a-z0-9_-]*)\/)?([a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*){0,2})$/;

/** The chains that the parts of a file start from. */
export function listExtended(file: Located): readonly string[] {
  const own = textOf(file, 'extends');
  const chain = own === null ? undefined : reference.exec(own)?.[1];
  const below = file.kind === 'map' ? [...file.entries.values()] : file.kind === 'list' ? file.items : [];
  return [...(chain === undefined ? [] : [chain]), ...below.flatMap(listExtended)];
}

/**
 * Writes out every `extends` of a chain (CC 6.4): mappings merged, lists and values replaced, parts of one kind only, no
 * circle. Pure. `sources` has the chain itself and every chain that `listExtended` finds, as far as they exist.
 */
export function expandChain(
  id: string,
  sources: ChainSources,
): { readonly expanded: Located | null; readonly problems: readonly ChainProblem[] } {
  const expansion = new Expansion(sources);
  const file = sources.get(id);
  return { expanded: file === undefined ? null : expansion.below(file, id), problems: expansion.problems };
}

type Level = 'node' | 'task';

/** A part, and the chain whose names it is written in. */
interface Written {
  readonly part: LocatedMap;
  readonly chain: string;
}

interface Found {
  readonly written: Written;
  /** `chain/node` or `chain/node.step.task`. */
  readonly name: string;
}

/** Node, step and task; the last two are empty for a node. */
type Names = readonly [string, string, string];

interface Named {
  readonly chain: string;
  readonly names: Names;
}

interface Search {
  /** Where the reference stands. */
  readonly place: Place;
  /** Node, step and task. */
  readonly names: Names;
  readonly trail: readonly string[];
}

function namesOf(path: string | undefined): Names {
  const [node = '', step = '', task = ''] = path?.split('.') ?? [];
  return [node, step, task];
}

class Expansion {
  readonly problems: ChainProblem[] = [];
  readonly #sources: ChainSources;

  constructor(sources: ChainSources) {
    this.#sources = sources;
  }

  /** Everything under a part, wherever nodes and tasks stand. */
  below(part: Located, chain: string, trail: readonly string[] = []): Located {
    if (part.kind === 'list') return { ...part, items: part.items.map((item) => this.below(item, chain, trail)) };
    if (part.kind === 'value') return part;
    const entries = [...part.entries].map(([key, value]) => [key, this.#entry(key, value, { chain, trail })] as const);
    return { ...part, entries: new Map(entries) };
  }

  #entry(
    key: string,
    value: Located,
    { chain, trail }: { readonly chain: string; readonly trail: readonly string[] },
  ): Located {
    const expand = (part: Located, level: Level): Located =>
      part.kind === 'map' ? this.#expand({ part, chain }, level, trail) : part;
    if (key === 'judge') return expand(value, 'task');
    if (value.kind !== 'list' || (key !== 'tasks' && key !== 'nodes')) return this.below(value, chain, trail);
    return { ...value, items: value.items.map((item) => expand(item, key === 'nodes' ? 'node' : 'task')) };
  }

  #expand({ part, chain }: Written, level: Level, trail: readonly string[]): Located {
    const own = this.below(part, chain, trail);
    if (own.kind !== 'map' || !own.entries.has('extends')) return own;
    const base = this.#base({ part, chain }, level, trail);
    // Without a base the reference stays in: its problem is told, and the rest is judged as it stands.
    if (base === null) return own;
    const entries = new Map(own.entries);
    entries.delete('extends');
    const expanded = this.#expand(base.written, level, [...trail, base.name]);
    if (!this.#sameKind(part, expanded, level)) return own;
    return mergeLocated(expanded, { ...own, entries });
  }

  /** The part that `extends` names, not yet written out; null after telling why there is none. */
  #base({ part, chain }: Written, level: Level, trail: readonly string[]): Found | null {
    const { place } = entryOf(part, 'extends') ?? part;
    const named = this.#read({ part, chain }, level);
    if (named === null) return null;
    const name = `${named.chain}/${named.names.filter((part) => part !== '').join('.')}`;
    if (trail.includes(name)) {
      return this.#refuse(place, `extends goes round in a circle: ${[...trail, name].join(' → ')}`);
    }
    const file = this.#sources.get(named.chain);
    if (file === undefined) return this.#refuse(place, `extends names the chain ${named.chain}, which does not exist`);
    const [id] = named.names;
    const node = this.#find({ place, of: `a node of the chain ${named.chain}` }, mapsOf(file, 'nodes'), id);
    if (node === null) return null;
    const written = { part: node, chain: named.chain };
    const found =
      level === 'node' ? written : this.#findTask(written, { place, names: named.names, trail: [...trail, name] });
    return found === null ? null : { written: found, name };
  }

  /** The words of `extends`: as many names as the level has. */
  #read({ part, chain }: Written, level: Level): Named | null {
    const match = reference.exec(textOf(part, 'extends') ?? '');
    const names = namesOf(match?.[2]);
    if (names.filter((name) => name !== '').length === (level === 'node' ? 1 : 3)) {
      return { chain: match?.[1] ?? chain, names };
    }
    const { place } = entryOf(part, 'extends') ?? part;
    const form = level === 'node' ? '`node`' : '`node.step.task`';
    return this.#refuse(place, `extends must be ${form}, with \`chain/\` before it for another chain`);
  }

  /** A task of a node, which may itself have its tasks from another. */
  #findTask(node: Written, search: Search): Written | null {
    const { part, chain } = node;
    const { place, names, trail } = search;
    const hasOwn = part.entries.has('tasks') || part.entries.has('steps');
    if (!hasOwn && part.entries.has('extends')) {
      const base = this.#base(node, 'node', trail);
      return base === null ? null : this.#findTask(base.written, { ...search, trail: [...trail, base.name] });
    }
    const [, stepId, taskId] = names;
    const main = stepId === 'main' && part.entries.has('tasks') ? part : null;
    const step = main ?? this.#find({ place, of: `a step of ${names[0]}` }, mapsOf(part, 'steps'), stepId);
    const task =
      step === null
        ? null
        : this.#find({ place, of: `a task of ${names[0]}.${stepId}` }, mapsOf(step, 'tasks'), taskId);
    return task === null ? null : { part: task, chain };
  }

  #find(
    at: { readonly place: Place; readonly of: string },
    among: readonly LocatedMap[],
    id: string,
  ): LocatedMap | null {
    const found = among.find((part) => textOf(part, 'id') === id);
    if (found !== undefined) return found;
    const known = among.flatMap((part) => textOf(part, 'id') ?? []);
    const meant = closestKey(id, known);
    const remedy = meant === null ? `Known are: ${known.join(', ') || 'none'}.` : `Did you mean \`${meant}\`?`;
    return this.#refuse(at.place, `extends names ${id}, which is not ${at.of}`, remedy);
  }

  #sameKind(own: LocatedMap, base: Located, level: Level): boolean {
    const unset = level === 'node' ? 'exec' : null;
    const wanted = textOf(own, 'kind');
    const given = textOf(base, 'kind') ?? unset;
    if (wanted === null || given === null || wanted === given) return true;
    const { place } = entryOf(own, 'kind') ?? own;
    this.#refuse(
      place,
      `kind is ${wanted}, but extends names one of kind ${given}`,
      'Only parts of the same kind can be extended.',
    );
    return false;
  }

  #refuse(place: Place, problem: string, remedy: string | null = null): null {
    this.problems.push({ place, problem, remedy });
    return null;
  }
}
