import type { Chain, ChainNode } from '../chain/index.ts';
import type { Item } from '../items/index.ts';
import type { SessionRow } from '../store/index.ts';
import type { NodeState, NodeView, TaskView } from './kraft.ts';

/** The nodes of the chain that is frozen onto an item, each with where it stands. Pure. */
export function viewNodes(item: Item, sessions: readonly SessionRow[]): readonly NodeView[] {
  // An item that was frozen by another version may hold what this one does not know.
  const { nodes = [] } = JSON.parse(item.frozenChain) as Partial<Chain>;
  const found = nodes.findIndex((node) => node.id === item.nextNode);
  const at = item.status === 'completed' ? nodes.length : Math.max(0, found);
  return nodes.map((node, index) => ({
    id: node.id,
    kind: node.kind,
    state: index === at ? stateAt(item, node) : index < at ? 'done' : notReached(item),
    tasks: viewTasks(node, item, sessions),
  }));
}

function notReached({ status }: Item): NodeState {
  return status === 'abandoned' ? 'not_run' : 'to_come';
}

/** The node that the walk enters next, or is in. */
function stateAt(item: Item, node: ChainNode): NodeState {
  switch (item.status) {
    case 'active':
      return 'running';
    case 'queued':
    case 'rate_limited':
      return 'waiting';
    case 'needs_human':
      return node.kind === 'gate' ? 'asks' : 'stopped';
    case 'paused':
      return item.started ? 'paused' : 'to_come';
    case 'abandoned':
      return 'not_run';
    case 'completed':
      return 'done';
  }
}

/** Tasks of the node's steps, each with its newest session: a run of the tests is one for each scope below its task. */
function viewTasks(node: ChainNode, item: Item, sessions: readonly SessionRow[]): readonly TaskView[] {
  if (node.kind === 'gate') return [];
  const own = sessions.filter((session) => session.nodeId === node.id);
  return node.steps.flatMap((step) =>
    step.tasks.map((task): TaskView => {
      const newest = own.findLast(({ task: path }) => path === task.path || path.startsWith(`${task.path}.`));
      return {
        path: task.path,
        kind: task.kind,
        skipped: [task.path, step.path, node.path].some((path) => item.skipped.includes(path)),
        sessionId: newest?.id ?? null,
        status: newest?.status ?? null,
      };
    }),
  );
}
