import { parseSidecar, type Sidecar, type StoreLayout } from '../refs/index.ts';
import { gitErrors } from './errors.ts';
import { readIfPresent, replaceFile } from './trusted-files.ts';

/** The record of a store; null when there is none. Errors: REF_STORE_UNREADABLE, so that nothing is deleted on a guess. */
export async function readSidecar(layout: StoreLayout): Promise<Sidecar | null> {
  const text = await readIfPresent(layout.sidecar);
  if (text === null) return null;
  const sidecar = parseSidecar(text);
  if (sidecar === null) throw gitErrors.create('REF_STORE_UNREADABLE', { path: layout.sidecar });
  return sidecar;
}

export async function writeSidecar(layout: StoreLayout, sidecar: Sidecar): Promise<void> {
  await replaceFile(layout.sidecar, `${JSON.stringify(sidecar)}\n`);
}
