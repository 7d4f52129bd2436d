import type { DocumentPath } from '../base/index.ts';
import { resolveSandbox } from '../config/index.ts';
import type { Chain, ChainNode, ChainTask, DeclaredSandbox } from './chain.ts';
import type { Place } from './located.ts';
import { listParts, stepsOf, type ChainPart } from './parts.ts';
import { declaresSandbox } from './sandbox-lock.ts';
import type { ChainFile, Node, Task } from './schema.ts';

/** A chain file as it is walked: steps flattened into canonical paths, what is not built yet listed. Pure. */
export function resolveChain(file: ChainFile, id: string, placeOf: (path: DocumentPath) => Place): Chain {
  const unbuilt: string[] = [];
  const parts = listParts(file);
  const nodes = file.nodes.map((node) => resolveNode(node, unbuilt));
  unbuilt.push(...parts.flatMap(unbuiltPolicy));
  const sandboxes = parts.filter(declaresSandbox).map((part): DeclaredSandbox => {
    const place = placeOf([...part.at, 'policy', 'sandbox']);
    return { part: part.name, ...place, sandbox: resolveSandbox(part.policy?.sandbox ?? null) };
  });
  return { id, description: file.description ?? '', nodes, sandboxes, unbuilt };
}

// No `extends`: it has been written out. No `policy`: its keys are named one by one.
const laterKeys = [
  'on_failure',
  'fix_loop',
  'escalation',
  'on_base_changed',
  'read_only',
  'skill',
  'produces',
  'profile',
  'fallback',
  'inputs',
  'steering',
  'wait',
];

function resolveNode(node: Node, unbuilt: string[]): ChainNode {
  if (node.kind === 'gate') {
    unbuilt.push(`${node.id}: a gate`);
    return { id: node.id, tasks: [] };
  }
  noteLaterKeys(node, node.id, unbuilt);
  const tasks = stepsOf(node).flatMap(({ step }) => {
    const path = `${node.id}.${step.id}`;
    noteLaterKeys(step, path, unbuilt);
    return step.tasks.flatMap((task) => resolveTask(task, `${path}.${task.id}`, unbuilt));
  });
  return { id: node.id, tasks };
}

function resolveTask(task: Task, path: string, unbuilt: string[]): readonly ChainTask[] {
  noteLaterKeys(task, path, unbuilt);
  if (task.scope === 'each_repository') unbuilt.push(`${path}: scope each_repository`);
  switch (task.kind) {
    case 'agent':
      return [
        {
          kind: 'agent',
          path,
          harness: task.harness ?? null,
          prompt: task.prompt ?? null,
          model: task.model ?? null,
          effort: task.effort ?? null,
        },
      ];
    case 'subprocess':
      return [{ kind: 'subprocess', path, command: task.command }];
    case 'builtin':
      if (task.execution === 'parallel') unbuilt.push(`${path}: execution parallel`);
      if (task.ref === 'kraft.verify_changed_test_scopes') return [{ kind: 'builtin', path, ref: task.ref }];
      unbuilt.push(`${path}: the builtin ${task.ref}`);
      return [];
    case 'forge':
      unbuilt.push(`${path}: the forge task ${task.target}`);
      return [];
  }
}

function noteLaterKeys(part: Readonly<Record<string, unknown>>, path: string, unbuilt: string[]): void {
  for (const key of laterKeys) if (part[key] !== undefined) unbuilt.push(`${path}: ${key}`);
}

/** A sandbox is held by the lock; everything else that a policy says, nothing applies yet. */
function unbuiltPolicy({ name, policy }: ChainPart): readonly string[] {
  return Object.entries(policy ?? {})
    .filter(([key, value]) => key !== 'sandbox' && value !== null)
    .map(([key]) => `${name}: policy.${key}`);
}
