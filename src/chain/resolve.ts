import type { DocumentPath } from '../base/index.ts';
import { resolveSandbox, type PolicyLayer } from '../config/index.ts';
import type {
  AgentChainTask,
  Chain,
  ChainNode,
  ChainStep,
  ChainTask,
  DeclaredSandbox,
  ExecNode,
  GateNode,
  PlainStep,
  UnskippablePart,
} from './chain.ts';
import type { Place } from './located.ts';
import { listParts, stepsOf } from './parts.ts';
import { declaresSandbox } from './sandbox-lock.ts';
import type * as written from './schema.ts';

/** A chain file as it is walked: every part with its path and its policies, what is not built yet listed. Pure. */
export function resolveChain(file: written.ChainFile, id: string, placeOf: (path: DocumentPath) => Place): Chain {
  const unbuilt: string[] = [];
  const layers = [layerOf(file.policy)].flat();
  const nodes = file.nodes.map((node) => resolveNode(node, { layers, unbuilt }));
  const sandboxes = listParts(file)
    .filter(declaresSandbox)
    .map((part): DeclaredSandbox => {
      const place = placeOf([...part.at, 'policy', 'sandbox']);
      return { part: part.name, ...place, sandbox: resolveSandbox(part.policy?.sandbox ?? null) };
    });
  const unskippable = listParts(file)
    .filter(({ skippable }) => !skippable)
    .map(({ name, at }): UnskippablePart => ({ part: name, ...placeOf([...at, 'skippable']) }));
  return { id, description: file.description ?? '', policy: layers, nodes, sandboxes, unskippable, unbuilt };
}

/** What is around a part: its policies, and where parts that are not built are noted. */
interface Around {
  readonly layers: readonly PolicyLayer[];
  readonly unbuilt: string[];
}

// No `extends`: it has been written out.
const laterKeys = [
  'escalation',
  'on_base_changed',
  'read_only',
  'skill',
  'produces',
  'inputs',
  'steering',
  'wait',
  'artifact',
  'artifact_required',
  'auto_review',
  'timeout',
];

function resolveNode(node: written.Node, around: Around): ChainNode {
  noteLaterKeys(node, node.id, around);
  const head = { id: node.id, ...partOf(node, node.id, around) };
  return node.kind === 'gate' ? resolveGate(node, head) : resolveExec(node, head, around);
}

function resolveGate(
  node: Extract<written.Node, { kind: 'gate' }>,
  head: Pick<GateNode, 'id' | 'path' | 'policy' | 'skippable'>,
): GateNode {
  return { ...head, kind: 'gate', message: node.message ?? null, rejectTo: node.reject_to ?? null };
}

function resolveExec(
  node: written.ExecNode,
  head: Pick<ExecNode, 'id' | 'path' | 'policy' | 'skippable'>,
  { unbuilt }: Around,
): ExecNode {
  const inside: Around = { layers: head.policy, unbuilt };
  const loop = node.fix_loop;
  const loopPath = `${node.id}.fix_loop`;
  return {
    ...head,
    kind: 'exec',
    steps: stepsOf(node).map(({ step }) => resolveStep(step, node.id, inside)),
    onFailure: resolveBody(node.on_failure, `${node.id}.on_failure`, inside),
    fixLoop:
      loop === undefined
        ? null
        : {
            steps: resolveBody(loop, loopPath, inside),
            judge:
              loop.judge === undefined
                ? null
                : (resolveTask(loop.judge, loopPath, inside).find(
                    (task): task is AgentChainTask => task.kind === 'agent',
                  ) ?? null),
            maxAttempts: loop.max_attempts ?? null,
          },
  };
}

function resolveStep(step: written.Step, node: string, around: Around): ChainStep {
  const path = `${node}.${step.id}`;
  noteLaterKeys(step, path, around);
  const part = partOf(step, path, around);
  const inside: Around = { layers: part.policy, unbuilt: around.unbuilt };
  return {
    id: step.id,
    ...part,
    tasks: step.tasks.flatMap((task) => resolveTask(task, path, inside)),
    onFailure: resolveBody(step.on_failure, `${path}.on_failure`, inside),
  };
}

/** Steps of a recovery or of a fix loop; bare `tasks` are one step of the body's own path. */
function resolveBody(body: written.PlainBody | undefined, path: string, around: Around): readonly PlainStep[] {
  if (body === undefined) return [];
  if (body.steps === undefined) {
    return [{ path, tasks: (body.tasks ?? []).flatMap((task) => resolveTask(task, path, around)) }];
  }
  return body.steps.map((step) => {
    const below = `${path}.${step.id}`;
    return { path: below, tasks: step.tasks.flatMap((task) => resolveTask(task, below, around)) };
  });
}

function resolveTask(task: written.Task, step: string, around: Around): readonly ChainTask[] {
  const path = `${step}.${task.id}`;
  noteLaterKeys(task, path, around);
  if (task.scope === 'each_repository') around.unbuilt.push(`${path}: scope each_repository`);
  const part = partOf(task, path, around);
  const inside: Around = { layers: part.policy, unbuilt: around.unbuilt };
  const head = { ...part, onFailure: resolveBody(task.on_failure, `${path}.on_failure`, inside) };
  switch (task.kind) {
    case 'agent':
      return [resolveAgent(task, head)];
    case 'subprocess':
      return [{ ...head, kind: 'subprocess', command: task.command }];
    case 'builtin':
      if (task.ref === 'kraft.verify_changed_test_scopes') {
        return [{ ...head, kind: 'builtin', ref: task.ref, parallel: task.execution === 'parallel' }];
      }
      around.unbuilt.push(`${path}: the builtin ${task.ref}`);
      return [];
    case 'forge':
      around.unbuilt.push(`${path}: the forge task ${task.target}`);
      return [];
  }
}

function resolveAgent(
  task: Extract<written.Task, { kind: 'agent' }>,
  head: Pick<AgentChainTask, 'path' | 'policy' | 'skippable' | 'onFailure'>,
): AgentChainTask {
  return {
    ...head,
    kind: 'agent',
    harness: task.harness ?? null,
    prompt: task.prompt ?? null,
    profile: task.profile ?? null,
    model: task.model ?? null,
    effort: task.effort ?? null,
    fallback:
      task.fallback?.map(({ harness, profile, model, effort }) => ({
        harness: harness ?? null,
        profile: profile ?? null,
        model: model ?? null,
        effort: effort ?? null,
      })) ?? null,
  };
}

interface Written {
  readonly policy?: written.ChainFile['policy'];
  readonly skippable?: boolean | undefined;
}

function partOf(
  part: Written,
  path: string,
  { layers }: Around,
): { readonly path: string; readonly policy: readonly PolicyLayer[]; readonly skippable: boolean } {
  return { path, policy: [...layers, ...layerOf(part.policy)], skippable: part.skippable ?? true };
}

/** A policy without its sandbox, which the lock holds. */
function layerOf(policy: written.ChainFile['policy']): readonly PolicyLayer[] {
  if (policy === undefined) return [];
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- left out.
  const { sandbox: _, ...layer } = policy;
  return [layer];
}

function noteLaterKeys(part: object, path: string, { unbuilt }: Around): void {
  const keys: Readonly<Record<string, unknown>> = { ...part };
  for (const key of laterKeys) if (keys[key] !== undefined) unbuilt.push(`${path}: ${key}`);
}
