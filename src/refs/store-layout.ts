import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { z } from 'zod';

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

export const sidecarSchema = z.strictObject({
  /** Item that the worktree belongs to. */
  work_item_id: z.string(),
  /** Common git directory of the person's repository. */
  common: z.string(),
  /** The real admin directory W. */
  worktree_gitdir: z.string(),
  /** Branch that is published; null for the store of a setup command. */
  branch: z.string().nullable(),
  /** Value of the branch when it was last published; null when it did not exist. */
  synced: z.string().nullable(),
  /** Sessions that mounted this store since it was built. */
  sessions: z.array(z.string()),
});

/** What Kraft knows of a store without asking it (SI 2.1). */
export type Sidecar = z.infer<typeof sidecarSchema>;

/** The record in a sidecar file, or null when the text is none. */
export function parseSidecar(text: string): Sidecar | null {
  try {
    const parsed = sidecarSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
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
