import { splitCommand, type AgentChainTask, type ChainTask, type SubprocessChainTask } from '../chain/index.ts';
import { walkErrors } from './errors.ts';
import { launchAgent } from './launch-agent.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { runSession } from './session.ts';
import { exitText, findEnd, refuseUnlessDone, subprocessRequest, type TaskContext } from './session-end.ts';
import { verifyScopes } from './verify.ts';

/** Runs one task to its end; whatever keeps the item from going on is thrown. */
export async function runTask(ports: WalkPorts, run: Run, context: TaskContext, task: ChainTask): Promise<void> {
  switch (task.kind) {
    case 'agent':
      return runAgent(ports, run, context, task);
    case 'subprocess':
      return runSubprocess(ports, run, context, task);
    case 'builtin':
      return verifyScopes(ports, run, context, task);
  }
}

async function runAgent(ports: WalkPorts, run: Run, context: TaskContext, task: AgentChainTask): Promise<void> {
  const end = (await findEnd(ports, context, task.path)) ?? (await launchAgent(ports, run, context, task));
  refuseUnlessDone(end, context.item);
}

/**
 * What follows agents that worked side by side, once none of them is at work any more: the worktree is looked at, and what
 * they left uncommitted is committed. `path` names the session of it.
 */
export async function finishAgents(ports: WalkPorts, run: Run, context: TaskContext, path: string): Promise<void> {
  await checkWorktree(ports, run, context);
  await commitLeftovers(ports, run, context, path);
}

async function runSubprocess(
  ports: WalkPorts,
  run: Run,
  context: TaskContext,
  task: SubprocessChainTask,
): Promise<void> {
  const request = subprocessRequest(context, task.path, splitCommand(task.command));
  const end = (await findEnd(ports, context, task.path)) ?? (await runSession(ports, run, { ...context, request }));
  refuseUnlessDone(end, context.item);
}

/** Before any git of Kraft's looks at what the worker left (SI 2.7): no repository of its own in there, HEAD in order. */
async function checkWorktree(ports: WalkPorts, run: Run, { ready, worktree }: TaskContext): Promise<void> {
  const place = { repository: ready.repository, worktree };
  const planted = await ports.git.findPlanted(place);
  if (planted.length > 0) throw walkErrors.create('WORKTREE_PLANTED', { paths: planted, id: run.itemId });
  const why = await ports.git.checkWorktree(place);
  if (why !== null) throw walkErrors.create('WORKTREE_OFF_BRANCH', { why, worktree: worktree.path });
}

// Runs in the sandbox like everything else that touches the worker's files with the worker's attributes and filters;
// without hooks and signing, which are the agent's or the person's and not Kraft's.
const commitScript = [
  'test -z "$(git status --porcelain)" && exit 0',
  'git add -A',
  'git -c core.hooksPath=/dev/null -c commit.gpgSign=false commit --quiet --no-verify -m "Add what the agent left uncommitted"',
].join('\n');

/** Commits what the agent left uncommitted, in a container of the same sandbox; nothing when the worktree is clean. */
async function commitLeftovers(ports: WalkPorts, run: Run, context: TaskContext, path: string): Promise<void> {
  const request = {
    ...subprocessRequest(context, path, ['sh', '-ec', commitScript]),
    commandText: 'kraft.commit_leftovers',
  };
  const end = (await findEnd(ports, context, path)) ?? (await runSession(ports, run, { ...context, request }));
  if (end.status === 'failed') {
    const why = end.reason ?? `git ended${exitText(end)}`;
    throw walkErrors.create('LEFTOVERS_NOT_COMMITTED', { why, worktree: context.worktree.path });
  }
  refuseUnlessDone(end, context.item);
}
