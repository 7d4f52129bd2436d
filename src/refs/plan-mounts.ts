import { dirname, join } from 'node:path';
import type { StoreLayout } from './store-layout.ts';

/** One bind mount of a ref store. */
export interface StoreMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Container paths at which the person's objects and LFS objects are mounted, named by `runtime`. */
export interface AlternatePaths {
  readonly alternateObjects: string;
  readonly alternateLfs: string;
}

/** An object directory that the person's repository borrows from. */
export interface Alternate {
  readonly objects: string;
  /** `lfs` beside it, null when there is none. */
  readonly lfs: string | null;
  readonly hasInfo: boolean;
}

export interface MountFacts {
  readonly commonDir: string;
  /** The real admin directory W, where git looks for it in the container too. */
  readonly adminDir: string;
  readonly worktree: string;
  /** The repository's own object directory, then those it borrows from, flat. */
  readonly objects: readonly Alternate[];
  readonly hasShallow: boolean;
  readonly hasInfo: boolean;
}

/** Container path of the object directory number `index`; git-lfs finds `../lfs/objects` beside each. */
export function alternateTarget(
  paths: AlternatePaths,
  index: number,
): { readonly objects: string; readonly lfs: string } {
  if (index === 0) return { objects: paths.alternateObjects, lfs: paths.alternateLfs };
  const dir = join(dirname(paths.alternateObjects), String(index));
  return { objects: join(dir, 'objects'), lfs: join(dir, 'lfs') };
}

/** Text of the store's `objects/info/alternates`: the container paths, flat. */
export function renderAlternates(paths: AlternatePaths, count: number): string {
  return Array.from({ length: count }, (_none, index) => `${alternateTarget(paths, index).objects}\n`).join('');
}

/**
 * The mounts of a ref store, outer before inner (SI 2.5, with objects and LFS objects read-only). Every read-only source
 * is the person's or Kraft's own: a source inside a directory that a worker can write could be repointed by it.
 */
export function planStoreMounts(facts: MountFacts, layout: StoreLayout, paths: AlternatePaths): readonly StoreMount[] {
  const { commonDir, adminDir } = facts;
  const rw = (source: string, target: string): StoreMount => ({ source, target, readOnly: false });
  const ro = (source: string, target: string): StoreMount => ({ source, target, readOnly: true });
  const shadow = (name: string): string => join(layout.shadowDir, name);
  return [
    rw(layout.dir, commonDir),
    ro(join(commonDir, 'HEAD'), join(commonDir, 'HEAD')),
    ro(shadow('config'), join(commonDir, 'config')),
    ...(facts.hasShallow ? [ro(join(commonDir, 'shallow'), join(commonDir, 'shallow'))] : []),
    ...(facts.hasInfo ? [ro(join(commonDir, 'info'), join(commonDir, 'info'))] : []),
    ro(shadow('objects-info'), join(commonDir, 'objects', 'info')),
    ...facts.objects.flatMap((alternate, index) => {
      const target = alternateTarget(paths, index);
      return [
        ro(alternate.objects, target.objects),
        // Relative entries of the person's own `info/alternates` would lead elsewhere from this mount point.
        ...(alternate.hasInfo ? [ro(shadow('empty'), join(target.objects, 'info'))] : []),
        ...(alternate.lfs === null ? [] : [ro(alternate.lfs, target.lfs)]),
      ];
    }),
    ro(shadow('git-file'), join(facts.worktree, '.git')),
    rw(layout.adminDir, adminDir),
    ro(shadow('commondir'), join(adminDir, 'commondir')),
    ro(shadow('config.worktree'), join(adminDir, 'config.worktree')),
    ro(shadow('gitdir'), join(adminDir, 'gitdir')),
  ];
}
