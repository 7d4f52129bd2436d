import { selectScopes, splitCommand, type BuiltinChainTask, type SelectedScope } from '../chain/index.ts';
import { walkErrors } from './errors.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { runSession, type SessionEnd } from './session.ts';
import { findEnd, refuseUnlessDone, subprocessRequest, type TaskContext } from './session-end.ts';
import { Stopped } from './stops.ts';

/**
 * `kraft.verify_changed_test_scopes` (CC 6.5): the test commands that the changed paths call for, one session each, all
 * of them also when one fails. Declared none passes with a note; nothing declared stops for a person.
 */
export async function verifyScopes(
  ports: WalkPorts,
  run: Run,
  context: TaskContext,
  task: BuiltinChainTask,
): Promise<void> {
  const { ready, worktree } = context;
  const changed = await ports.git.changedPaths({ repository: ready.repository, worktree });
  const selection = selectScopes(ready.repo, changed);
  switch (selection.kind) {
    case 'undeclared':
      throw walkErrors.create('TESTS_UNDECLARED', { repo: ready.repo.path });
    case 'none':
      return skip(run, context, 'No tests are run here: the repository declares none.');
    case 'unchanged':
      return skip(run, context, 'No tests are run: nothing differs from the base commit.');
    case 'scopes':
      break;
  }
  const failed: { readonly scope: SelectedScope; readonly end: SessionEnd }[] = [];
  const prepared = new Set<string>();
  for (const [index, scope] of selection.scopes.entries()) {
    const setup = scope.area === null ? undefined : selection.areaSetups[scope.area];
    if (scope.area !== null && setup !== undefined && !prepared.has(scope.area)) {
      prepared.add(scope.area);
      const end = await runOnce(ports, run, context, {
        path: `${task.path}.setup_${scope.area}`,
        command: ['sh', '-c', setup],
      });
      refuseUnlessDone(end, context.item);
    }
    const end = await runOnce(ports, run, context, {
      path: `${task.path}.${index + 1}`,
      command: splitCommand(scope.command),
    });
    if (end.status === 'failed') failed.push({ scope, end });
    else refuseUnlessDone(end, context.item);
  }
  if (failed.length > 0) throw testsFailed(run.itemId, failed);
}

async function runOnce(
  ports: WalkPorts,
  run: Run,
  context: TaskContext,
  { path, command }: { readonly path: string; readonly command: readonly string[] },
): Promise<SessionEnd> {
  const known = await findEnd(ports, context, path);
  if (known !== null) return known;
  return runSession(ports, run, { ...context, request: subprocessRequest(context, path, command) });
}

async function skip(run: Run, context: TaskContext, note: string): Promise<void> {
  await run.record({
    nodeId: context.nodeId,
    events: [{ type: 'scope_skipped', payload: { node_id: context.nodeId, path: '**', note } }],
  });
}

function testsFailed(
  itemId: string,
  failed: readonly { readonly scope: SelectedScope; readonly end: SessionEnd }[],
): Stopped {
  const commands = failed.map(({ scope }) => `\`${scope.command}\``).join(', ');
  return new Stopped({
    kind: 'failed',
    code: null,
    reason: `Tests fail on the item’s branch: ${commands}.`,
    remedy: `Read the output with \`kraft view logs ${itemId}\`; mend it in the worktree or the tests, then run \`kraft item retry ${itemId}\`.`,
    sessionId: failed[0]?.end.sessionId ?? null,
    facts: {
      failed_scopes: failed.map(({ scope, end }) => ({
        command: scope.command,
        scope: scope.paths,
        exit_code: end.exitCode,
        session_id: end.sessionId,
      })),
    },
  });
}
