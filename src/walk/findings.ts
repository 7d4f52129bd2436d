import type { AgentChainTask } from '../chain/index.ts';
import { runOf, type TaskFailure } from '../items/index.ts';
import type { WalkPorts } from './ports.ts';
import type { TaskContext } from './session-end.ts';
import { Stopped } from './stops.ts';

// What opens a fix loop (CC 6.6); a minor finding is told and mended by nobody.
const loopSeverities: readonly string[] = ['critical', 'important'];

/** What these agents found wrong in this run although they ended well, as the failure that a fix loop mends; null for nothing. */
export async function listFindings(
  ports: WalkPorts,
  { item, nodeId }: TaskContext,
  agents: readonly AgentChainTask[],
): Promise<Stopped | null> {
  if (agents.length === 0) return null;
  const rows = await ports.store.listSessions({ itemId: item.id, statuses: ['done', 'done_with_concerns'] });
  const failures = agents.flatMap(({ path }): readonly TaskFailure[] => {
    const run = runOf(item, path);
    const row = rows.findLast((each) => each.task === path && each.attempt === item.attempt && each.run === run);
    const findings = row?.findings.filter(({ severity }) => loopSeverities.includes(severity)) ?? [];
    if (row === undefined || findings.length === 0) return [];
    const { command: what, exitCode, reason, id: sessionId } = row;
    return [{ task: path, what, exitCode, reason, sessionId, findings }];
  });
  if (failures.length === 0) return null;
  const count = failures.flatMap(({ findings }) => findings).length;
  return new Stopped(
    {
      kind: 'failed',
      code: null,
      reason: `${count} finding${count === 1 ? '' : 's'} of ${failures.map(({ task }) => task).join(', ')} stand against ${nodeId}.`,
      remedy: `Read them with \`kraft view show ${item.id}\`; mend them in the worktree, then run \`kraft item retry ${item.id}\`.`,
      sessionId: failures[0]?.sessionId ?? null,
      facts: { findings: failures.flatMap(({ findings }) => findings) },
    },
    failures,
  );
}
