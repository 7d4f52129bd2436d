import {
  selectScopes,
  splitCommand,
  type BuiltinChainTask,
  type ScopeSelection,
  type SelectedScope,
} from '../chain/index.ts';
import { walkErrors } from './errors.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import type { SessionEnd } from './conclude-session.ts';
import { runSession } from './session.ts';
import { failureOf, findEnd, refuseUnlessDone, subprocessRequest, type TaskContext } from './session-end.ts';
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
  const ends = await (task.parallel ? runSideBySide : runInOrder)(selection, {
    prepare: async (area, setup) => {
      const path = `${task.path}.setup_${area}`;
      refuseUnlessDone(await runOnce(ports, run, context, { path, command: ['sh', '-c', setup] }), context.item);
    },
    test: ({ command }, index) =>
      runOnce(ports, run, context, { path: `${task.path}.${index + 1}`, command: splitCommand(command) }),
  });
  const failed = ends.filter(({ end }) => end.status === 'failed');
  for (const { end } of ends) if (end.status !== 'failed') refuseUnlessDone(end, context.item);
  if (failed.length > 0) throw testsFailed(run.itemId, failed);
}

type Scopes = Extract<ScopeSelection, { kind: 'scopes' }>;

interface ScopeSteps {
  /** Runs the setup of an area; throws when it fails. */
  readonly prepare: (area: string, setup: string) => Promise<void>;
  readonly test: (scope: SelectedScope, index: number) => Promise<SessionEnd>;
}

interface ScopeEnd {
  readonly scope: SelectedScope;
  readonly end: SessionEnd;
}

/** One scope after the other, each area set up before its first; a scope that cannot run ends it. */
async function runInOrder({ scopes, areaSetups }: Scopes, steps: ScopeSteps): Promise<readonly ScopeEnd[]> {
  const ends: ScopeEnd[] = [];
  const prepared = new Set<string>();
  for (const [index, scope] of scopes.entries()) {
    const setup = scope.area === null ? undefined : areaSetups[scope.area];
    if (scope.area !== null && setup !== undefined && !prepared.has(scope.area)) {
      prepared.add(scope.area);
      await steps.prepare(scope.area, setup);
    }
    const end = await steps.test(scope, index);
    ends.push({ scope, end });
    if (end.status !== 'failed' && end.status !== 'done') break;
  }
  return ends;
}

/** The areas one after the other, then every scope at once; answers when all are over. */
async function runSideBySide({ scopes, areaSetups }: Scopes, steps: ScopeSteps): Promise<readonly ScopeEnd[]> {
  for (const [area, setup] of Object.entries(areaSetups)) await steps.prepare(area, setup);
  const ends = await Promise.allSettled(scopes.map((scope, index) => steps.test(scope, index)));
  return ends.map((end, index) => {
    const scope = scopes[index];
    if (end.status === 'rejected' || scope === undefined) throw (end as PromiseRejectedResult).reason as Error;
    return { scope, end: end.value };
  });
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
  const stop = {
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
  } as const;
  return new Stopped(
    stop,
    failed.map(({ end }) => failureOf(end)),
  );
}
