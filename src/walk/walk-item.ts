import type { ChainNode } from '../chain/index.ts';
import type { Worktree } from '../git/index.ts';
import { renderMergeCommand } from '../items/index.ts';
import { walkErrors } from './errors.ts';
import { walkGate } from './gate.ts';
import type { WalkPorts } from './ports.ts';
import { preparedWorktree, prepareItem } from './prepare.ts';
import { readyItem, type Ready } from './ready.ts';
import type { Run } from './run.ts';
import { undelivered } from './steer.ts';
import { runNode } from './run-node.ts';

/**
 * Takes an active item on from where it stands: preflight, worktree and setup if there are none yet, then the nodes from
 * `nextNode` on, to `completed`. Whatever keeps it from there is thrown.
 */
export async function walkItem(ports: WalkPorts, run: Run): Promise<void> {
  run.checkpoint();
  const item = await run.item();
  const ready = await readyItem(ports, run, item);
  const worktree = preparedWorktree(item) ?? (await prepareItem(ports, run, ready));
  for (const node of remainingNodes(ready, item.nextNode)) {
    run.checkpoint();
    await walkNode(ports, run, { ready, worktree, node });
  }
  await completeItem(ports, run, { ready, worktree });
}

function remainingNodes({ chain }: Ready, nextNode: string | null): readonly ChainNode[] {
  if (nextNode === null) return chain.nodes;
  const index = chain.nodes.findIndex((node) => node.id === nextNode);
  if (index === -1) throw walkErrors.create('NODE_UNKNOWN', { node: nextNode, chain: chain.id });
  return chain.nodes.slice(index);
}

async function walkNode(
  ports: WalkPorts,
  run: Run,
  { ready, worktree, node }: { readonly ready: Ready; readonly worktree: Worktree; readonly node: ChainNode },
): Promise<void> {
  const item = await run.item();
  const after = ready.chain.nodes[ready.chain.nodes.indexOf(node) + 1];
  // The last node stays the next one until `completed` is recorded: a crash in between walks it again, and finds it done.
  const next = after === undefined ? {} : { nextNode: after.id, ...atNodeStart };
  if (item.skipped.includes(node.path)) return run.record({ nodeId: node.id, item: next });
  const payload = { node_id: node.id };
  await run.record({
    nodeId: node.id,
    // A gate's own event says when it is reached.
    events: node.kind === 'gate' ? [] : [{ type: 'node_started', payload }],
    item: { nextNode: node.id },
  });
  if (node.kind === 'gate') await walkGate(ports, run, { node });
  else await runNode(ports, run, { ready, worktree, node });
  await run.record({ nodeId: node.id, events: [{ type: 'node_completed', payload }], item: next });
}

/** What belongs to one node alone. */
const atNodeStart = { enterAt: null, skipped: [], recovered: [], fixLoop: null } as const;

async function completeItem(
  ports: WalkPorts,
  run: Run,
  { ready, worktree }: { readonly ready: Ready; readonly worktree: Worktree },
): Promise<void> {
  const commit = await ports.git.branchCommit(ready.repository, worktree.branch);
  if (commit === null) {
    const why = 'it is not there any more';
    throw walkErrors.create('BRANCH_NOT_PUBLISHED', { branch: worktree.branch, why, keptAs: null });
  }
  const item = await run.item();
  await run.record({
    events: [
      {
        type: 'work_item_completed',
        payload: { branch: worktree.branch, commit, merge_command: renderMergeCommand(item) },
      },
      ...undelivered(item, 'the item was completed'),
    ],
    item: { status: 'completed', pauseRequested: false, nextNode: null, stop: null, steer: null, ...atNodeStart },
  });
}
