import { gatherErrors, toTimestamp } from '../base/index.ts';
import { refuseSandboxChange, type Chain } from '../chain/index.ts';
import type { ResolvedRepo } from '../config/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { atStart, branchName, isBranchName, type Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { freeze, keepSandbox, thaw } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import type { FileRequest } from './walker.ts';

const titleMaxLength = 200;
const idTriesMax = 20;

/**
 * Checks what a person files against the configuration as it is now, freezes it, and records the item. Errors:
 * TITLE_EMPTY, BASE_BRANCH_INVALID, REPO_NOT_CONNECTED, REPO_DISABLED, SANDBOX_MISSING, SANDBOX_LOCKED, those of the chain and of the
 * harness, and those of the configuration files.
 */
export async function fileItem(ports: WalkPorts, request: FileRequest): Promise<Item> {
  const title = request.title.trim();
  if (title === '' || title.length > titleMaxLength || !/[^\p{C}\s]/u.test(title)) {
    throw walkErrors.create('TITLE_EMPTY', undefined);
  }
  const { baseBranch } = request;
  if (baseBranch !== null && !isBranchName(baseBranch)) {
    throw walkErrors.create('BASE_BRANCH_INVALID', { branch: baseBranch });
  }
  const repo = await findRepo(ports, request.repo);
  if (repo.sandbox === null) throw walkErrors.create('SANDBOX_MISSING', { repo: repo.path });
  const chain = await ports.loadChain(request.chain ?? repo.defaultChain);
  checkSandboxLock(repo, chain);
  const harness = request.harness ?? 'demo';
  await ports.loadHarness(harness);
  const id = await freshId(ports);
  const now = toTimestamp(ports.clock.nowMs());
  const item: Item = {
    id,
    title,
    description: request.description,
    repo: repo.path,
    chain: chain.id,
    harness,
    branch: branchName(id, title),
    baseBranch,
    baseCommit: null,
    base: null,
    worktree: null,
    adminDir: null,
    prepared: false,
    status: request.autostart ? 'queued' : 'paused',
    started: request.autostart,
    pauseRequested: false,
    stop: null,
    nextNode: null,
    ...atStart,
    attempt: 1,
    ...freeze({ repo, chain }),
    createdAt: now,
    updatedAt: now,
  };
  const events: KraftEvent[] = [
    { type: 'work_item_created', payload: { title, repo: repo.path, chain: chain.id } },
    ...(request.autostart ? [{ type: 'work_item_resumed', payload: { by: 'human', verb: 'start' } } as const] : []),
  ];
  await ports.store.createItem(
    item,
    events.map((event) => ({ event, nodeId: null })),
  );
  return item;
}

/** The entry as it is now, for an item that is started or retried; a sandbox that it had is never taken off it. */
export async function refreeze(ports: WalkPorts, item: Item): Promise<Pick<Item, 'frozen' | 'frozenChain'>> {
  const live = await findRepo(ports, item.repo);
  const chain = await ports.loadChain(item.chain);
  const repo = keepSandbox(live, thaw(item).repo);
  checkSandboxLock(repo, chain);
  return freeze({ repo, chain });
}

/** Errors: SANDBOX_LOCKED, all of them, when a policy of the chain changes what the repository set. */
function checkSandboxLock(repo: ResolvedRepo, chain: Chain): void {
  const [first, ...rest] = refuseSandboxChange(repo, chain);
  if (first !== undefined) throw gatherErrors([first, ...rest]);
}

async function findRepo(ports: WalkPorts, path: string): Promise<ResolvedRepo> {
  const repo = (await ports.loadRepos()).find((entry) => entry.path === path);
  if (repo === undefined) throw walkErrors.create('REPO_NOT_CONNECTED', { repo: path });
  if (!repo.enabled) throw walkErrors.create('REPO_DISABLED', { repo: path });
  return repo;
}

/** An id that no item has or had, and that no other id is the beginning of. */
async function freshId(ports: WalkPorts): Promise<string> {
  for (let tries = 1; ; tries++) {
    const id = ports.ids.itemId();
    if ((await ports.store.findItems(id)).length === 0 || tries === idTriesMax) return id;
  }
}
