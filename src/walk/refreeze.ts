import { gatherErrors, type KraftError } from '../base/index.ts';
import { refuseSandboxChange, type Chain } from '../chain/index.ts';
import { listSandboxChanges, type ResolvedRepo } from '../config/index.ts';
import type { KraftEvent } from '../events/index.ts';
import type { Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { freeze, keepSandbox, thaw, type Frozen } from './frozen.ts';
import type { WalkPorts } from './ports.ts';

/** What an item is taken on under. */
export interface Refrozen {
  readonly frozen: Frozen;
  readonly columns: Pick<Item, 'frozen' | 'frozenChain'>;
  /** `sandbox_refrozen`, where the sandbox is another one now. */
  readonly events: readonly KraftEvent[];
  /** SANDBOX_LOCKED when the chain does not fit the sandbox (any more); null when it does. */
  readonly locked: KraftError | null;
}

/**
 * Freezes anew what an item is taken on under; nothing else reads the files for an item that was filed. `whole` takes the
 * entry and the chain as they are now (a start, a retry), `sandbox` the entry's sandbox alone (a resume). A sandbox that
 * an item had is never taken off it. Errors: REPO_NOT_CONNECTED, REPO_DISABLED, and those of the files.
 */
export async function refreeze(ports: WalkPorts, item: Item, extent: 'whole' | 'sandbox'): Promise<Refrozen> {
  const before = thaw(item);
  const live = keepSandbox(await findRepo(ports, item.repo), before.repo);
  const frozen =
    extent === 'whole'
      ? { repo: live, chain: await ports.loadChain(item.chain) }
      : { repo: { ...before.repo, sandbox: live.sandbox }, chain: before.chain };
  const changed = listSandboxChanges(before.repo.sandbox, live.sandbox);
  return {
    frozen,
    columns: freeze(frozen),
    events: changed.length === 0 ? [] : [{ type: 'sandbox_refrozen', payload: { changed } }],
    // Both places are named by their lines of now.
    locked: findSandboxLock({ ...frozen.repo, line: live.line }, frozen.chain),
  };
}

/** SANDBOX_LOCKED, all of them, when a policy of the chain changes what the repository set; null when none does. */
export function findSandboxLock(repo: ResolvedRepo, chain: Chain): KraftError | null {
  const [first, ...rest] = refuseSandboxChange(repo, chain);
  return first === undefined ? null : gatherErrors([first, ...rest]);
}

/** The entry of a repository as it is now. Errors: REPO_NOT_CONNECTED, REPO_DISABLED. */
export async function findRepo(ports: Pick<WalkPorts, 'loadRepos'>, path: string): Promise<ResolvedRepo> {
  const repo = (await ports.loadRepos()).find((entry) => entry.path === path);
  if (repo === undefined) throw walkErrors.create('REPO_NOT_CONNECTED', { repo: path });
  if (!repo.enabled) throw walkErrors.create('REPO_DISABLED', { repo: path });
  return repo;
}
