import { toTimestamp } from '../base/index.ts';
import type { KraftEvent } from '../events/index.ts';
import { atStart, branchName, isBranchName, type Item } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { freeze } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import { findRepo, findSandboxLock } from './refreeze.ts';
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
  const locked = findSandboxLock(repo, chain);
  if (locked !== null) throw locked;
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

/** An id that no item has or had, and that no other id is the beginning of. */
async function freshId(ports: WalkPorts): Promise<string> {
  for (let tries = 1; ; tries++) {
    const id = ports.ids.itemId();
    if ((await ports.store.findItems(id)).length === 0 || tries === idTriesMax) return id;
  }
}
