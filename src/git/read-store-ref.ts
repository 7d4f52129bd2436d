import { branchRef, findPackedRef, parseLooseRef } from '../refs/index.ts';
import { UntrustedDir } from './untrusted-dir.ts';

const packedMaxBytes = 64 * 1024 * 1024;
const looseMaxBytes = 4096;

/**
 * The branch's object id in a store, or null when there is none that counts (SI 2.4): a loose ref wins over
 * `packed-refs`, and one that exists but is a link, a FIFO, a symbolic ref or garbage hides the packed one.
 */
export async function readStoreBranch(storeDir: string, branch: string): Promise<string | null> {
  await using store = await UntrustedDir.open(storeDir);
  if (store === null) return null;
  const loose = await readLoose(store, branchRef(branch).split('/'));
  if (loose !== 'absent') return loose;
  const packed = await store.read('packed-refs', packedMaxBytes);
  return packed === null ? null : findPackedRef(packed.toString('latin1'), branchRef(branch));
}

async function readLoose(store: UntrustedDir, parts: readonly string[]): Promise<string | null> {
  let at = await store.walk([]);
  for (const [index, part] of parts.entries()) {
    if (at === null) return null;
    await using parent = at;
    if (!(await parent.has(part))) return 'absent';
    if (index === parts.length - 1) {
      const bytes = await parent.read(part, looseMaxBytes);
      return bytes === null ? null : parseLooseRef(bytes.toString('latin1'));
    }
    at = await parent.dir(part);
  }
  return null;
}
