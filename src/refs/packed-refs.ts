import { isObjectId } from './ref-names.ts';

/** One ref of the person's repository as `for-each-ref` gives it with `refListFormat`. */
export interface ListedRef {
  readonly name: string;
  readonly objectId: string;
  /** Target when the ref is symbolic, else null. */
  readonly symref: string | null;
}

/** The `--format` that `parseRefList` reads. No field of it can hold a space or a newline. */
export const refListFormat = '%(objectname) %(refname) %(symref)';

/** Output of `for-each-ref --format=<refListFormat>`; lines of another shape are dropped. */
export function parseRefList(output: string): readonly ListedRef[] {
  const refs: ListedRef[] = [];
  for (const line of output.split('\n')) {
    const [id, name, symref] = line.split(' ');
    if (id === undefined || name === undefined || !isObjectId(id) || !name.startsWith('refs/')) continue;
    refs.push({ name, objectId: id, symref: symref === undefined || symref === '' ? null : symref });
  }
  return refs;
}

// Per-worktree refs belong to a worktree, the stash is the person's own (a worker's `git stash pop` must not apply it),
// and Kraft's refs of other items are no business of this one.
const hiddenPrefixes = ['refs/bisect/', 'refs/worktree/', 'refs/rewritten/', 'refs/kraft/'];

/** Which of the person's refs a worker gets to see, sorted as git wants them. */
export function visibleRefs(refs: readonly ListedRef[], ownBaseRef: string): readonly ListedRef[] {
  return refs
    .filter(
      ({ name }) => name === ownBaseRef || (name !== 'refs/stash' && !hiddenPrefixes.some((p) => name.startsWith(p))),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** A `packed-refs` file of the plain (not symbolic) refs. Precondition: sorted by name. */
export function renderPackedRefs(refs: readonly ListedRef[]): string {
  const lines = refs.filter((ref) => ref.symref === null).map((ref) => `${ref.objectId} ${ref.name}\n`);
  return `# pack-refs with: sorted \n${lines.join('')}`;
}

/**
 * The object id in a loose ref file that a worker wrote, or null: only a bare id with one optional newline counts.
 * A symbolic ref, garbage, trailing text and upper case are no value (SI 2.4).
 */
export function parseLooseRef(text: string): string | null {
  const id = text.endsWith('\n') ? text.slice(0, -1) : text;
  return isObjectId(id) ? id : null;
}

/** The object id that a worker-written `packed-refs` gives a ref, or null. The last line wins, as the file is no list to trust. */
export function findPackedRef(text: string, ref: string): string | null {
  let found: string | null = null;
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line.startsWith('^')) continue;
    const space = line.indexOf(' ');
    if (space > 0 && line.slice(space + 1) === ref) found = parseLooseRef(line.slice(0, space));
  }
  return found;
}
