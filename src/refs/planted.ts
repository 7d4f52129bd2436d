/** An entry of the index or of a tree: its mode, object and path. */
export interface TreeEntry {
  readonly mode: string;
  readonly objectId: string;
  readonly path: string;
}

export const gitlinkMode = '160000';

/** Output of `ls-files -s -z` (`mode oid stage TAB path`) or `ls-tree -r -z` (`mode type oid TAB path`). */
export function parseEntries(output: string): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const record of output.split('\0')) {
    const tab = record.indexOf('\t');
    if (tab < 0) continue;
    const [mode, second, third] = record.slice(0, tab).split(' ');
    if (mode === undefined || second === undefined || third === undefined) continue;
    entries.push({
      mode,
      objectId: /^(?:blob|tree|commit)$/u.test(second) ? third : second,
      path: record.slice(tab + 1),
    });
  }
  return entries;
}

/** Every directory above the paths, once each, parents first; the root is left out. */
export function ancestors(paths: Iterable<string>): readonly string[] {
  const seen = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) seen.add(path.slice(0, at));
  }
  return [...seen].toSorted((a, b) => a.length - b.length);
}

/** Gitlinks that are not in the base commit at the same object: added or moved since. */
export function movedGitlinks(now: readonly TreeEntry[], base: readonly TreeEntry[]): readonly string[] {
  const inBase = new Map(
    base.filter((entry) => entry.mode === gitlinkMode).map((entry) => [entry.path, entry.objectId]),
  );
  return now
    .filter((entry) => entry.mode === gitlinkMode && inBase.get(entry.path) !== entry.objectId)
    .map((entry) => entry.path);
}
