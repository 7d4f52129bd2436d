import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseAlternates, type Alternate } from '../refs/index.ts';
import { kindOf, readIfPresent } from './trusted-files.ts';

// Git itself follows alternates five levels deep.
const maxDepth = 5;

/**
 * The repository's object directory and every existing one that it borrows from, flat, each once, real paths. `lfsDir`
 * is where the repository keeps its LFS objects; those of an alternate lie beside its objects.
 */
export async function readObjectDirs(commonDir: string, lfsDir: string): Promise<readonly Alternate[]> {
  const found = new Map<string, Alternate>();
  await follow({ objects: join(commonDir, 'objects'), lfs: lfsDir, depth: 0 }, found);
  return [...found.values()];
}

async function follow(
  at: { readonly objects: string; readonly lfs: string | null; readonly depth: number },
  found: Map<string, Alternate>,
): Promise<void> {
  const objects = await realDir(at.objects);
  if (objects === null || found.has(objects)) return;
  const hasInfo = (await kindOf(join(objects, 'info'))) === 'dir';
  found.set(objects, { objects, lfs: await realDir(at.lfs ?? join(dirname(objects), 'lfs')), hasInfo });
  if (at.depth >= maxDepth) return;
  const text = await readIfPresent(join(objects, 'info', 'alternates'));
  for (const path of parseAlternates(text ?? '', objects)) {
    await follow({ objects: path, lfs: null, depth: at.depth + 1 }, found);
  }
}

async function realDir(path: string): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  return real !== null && (await kindOf(real)) === 'dir' ? real : null;
}
