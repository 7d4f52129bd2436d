import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

/** The parts of one ref store. Only `dir` and `adminDir` are ever writable for a worker. */
export interface StoreLayout {
  /** S: mounted over the repository's git directory. */
  readonly dir: string;
  /** The worker's copy of the worktree's admin directory W; the real one is never mounted. */
  readonly adminDir: string;
  /** Sources of the read-only mounts that Kraft writes: nothing a worker can repoint. */
  readonly shadowDir: string;
  /** The trusted record; never mounted. */
  readonly sidecar: string;
}

/** Where the store of the worktree with admin directory `adminDir` lies (SI 0.3). */
export function storeLayout(runDir: string, adminDir: string): StoreLayout {
  const hash = createHash('sha256').update(adminDir).digest('hex').slice(0, 16);
  const dir = join(runDir, 'sandbox-git', `${basename(adminDir)}-${hash}`);
  return { dir, adminDir: `${dir}.worktree`, shadowDir: `${dir}.ro`, sidecar: `${dir}.json` };
}

/** What Kraft knows of a store without asking it (SI 2.1). */
export interface Sidecar {
  /** Item that the worktree belongs to. */
  readonly work_item_id: string;
  /** Common git directory of the person's repository. */
  readonly common: string;
  /** The real admin directory W. */
  readonly worktree_gitdir: string;
  /** Branch that is published; null for the store of a setup command. */
  readonly branch: string | null;
  /** Value of the branch when it was last published; null when it did not exist. */
  readonly synced: string | null;
  /** Sessions that mounted this store since it was built. */
  readonly sessions: readonly string[];
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

// By hand, because the rules of branches are loaded wherever an item is shown, and a schema library is not small.
const sidecarFields: Readonly<Record<keyof Sidecar, (value: unknown) => boolean>> = {
  work_item_id: isText,
  common: isText,
  worktree_gitdir: isText,
  branch: isTextOrNull,
  synced: isTextOrNull,
  sessions: (value) => Array.isArray(value) && value.every(isText),
};

/** The record in a sidecar file, or null when the text is none. */
export function parseSidecar(text: string): Sidecar | null {
  try {
    const parsed = JSON.parse(text) as unknown;
    if (typeof parsed !== 'object' || parsed === null) return null;
    const values = parsed as Readonly<Record<string, unknown>>;
    const known = Object.keys(values).every((key) => Object.hasOwn(sidecarFields, key));
    const whole = Object.entries(sidecarFields).every(([key, fits]) => fits(values[key]));
    return known && whole ? (values as unknown as Sidecar) : null;
  } catch {
    return null;
  }
}

export type StoreAction = 'build' | 'rebuild' | 'reuse';

/**
 * Reuse or rebuild (SI 2.3): a store is kept only for a setup command, or while a session that mounted it is live on the
 * same branch.
 */
export function decideStore(facts: {
  readonly sidecar: Sidecar | null;
  readonly exists: boolean;
  readonly branch: string;
  readonly sessionId: string | null;
  readonly liveSessionIds: readonly string[];
}): StoreAction {
  if (facts.sidecar === null || !facts.exists) return 'build';
  if (facts.sessionId === null) return 'reuse';
  const sharers = facts.sidecar.sessions.filter((id) => id !== facts.sessionId);
  const live = sharers.some((id) => facts.liveSessionIds.includes(id));
  return live && facts.sidecar.branch === facts.branch ? 'reuse' : 'rebuild';
}
