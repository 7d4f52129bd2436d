import { listTasks, type AgentChainTask } from '../chain/index.ts';
import type { Item } from '../items/index.ts';
import type { LaunchPlan } from '../launch/index.ts';
import { walkErrors } from './errors.ts';
import { worktreeOf } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import { readyItem } from './ready.ts';
import { listOpenThreads } from './reviews.ts';
import { Run } from './run.ts';
import { agentRequest } from './launch-agent.ts';
import { openFirst } from './agent-routes.ts';
import { timeCapMs } from './time-cap.ts';

/** The plan of the agent's next launch, as a start would make it; nothing is started and nothing recorded. */
export async function planNext(ports: WalkPorts, item: Item): Promise<LaunchPlan> {
  const worktree = worktreeOf(item);
  if (worktree === null) throw walkErrors.create('ITEM_HAS_NO_WORKTREE', { id: item.id });
  const ready = await readyItem(ports, new Run(item.id, ports), item);
  const found = listTasks(ready.chain).find(
    (each): each is { nodeId: string; task: AgentChainTask } => each.task.kind === 'agent',
  );
  if (found === undefined) throw walkErrors.create('NODE_UNKNOWN', { node: 'an agent task', chain: ready.chain.id });
  const { task, nodeId } = found;
  const open = await openFirst(ports, task, { item, repo: ready.repo });
  const threads = await listOpenThreads(ports, item);
  const request = agentRequest({ ready, item, nodeId, failures: [], threads }, { task, open, earlier: null });
  const live = await ports.store.listSessions({ itemId: item.id, statuses: ['pending', 'running'] });
  const { store } = await ports.git.openRefStore({
    repository: ready.repository,
    worktree,
    itemId: item.id,
    sessionId: null,
    liveSessionIds: live.map((row) => row.id),
  });
  return ports.launcher.plan({
    itemId: item.id,
    sessionId: ports.ids.sessionId(),
    role: 'agent',
    phase: 'runtime',
    repo: ready.repo,
    sandbox: ready.sandbox,
    worktree,
    store,
    identity: ready.identity,
    command: request.command,
    env: request.env,
    envNames: request.envNames,
    configDir: request.configDir,
    harnessHosts: request.harnessHosts,
    timeCapMs: await timeCapMs(ports, ready, { itemId: item.id, task: found.task.path }),
  });
}
