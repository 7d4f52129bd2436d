import { sessionTimeMs } from '../items/index.ts';
import type { Frozen } from './frozen.ts';
import { loadCaps, loadUse } from './item-caps.ts';
import type { WalkPorts } from './ports.ts';

/** What every level of policy leaves to one run of the task, in milliseconds; null for no bound. Null task: the setup command. */
export async function timeCapMs(
  ports: WalkPorts,
  frozen: Frozen,
  { itemId, task }: { readonly itemId: string; readonly task: string | null },
): Promise<number | null> {
  const caps = await loadCaps(ports, frozen, task ?? '');
  return sessionTimeMs(caps, await loadUse(ports, itemId));
}
