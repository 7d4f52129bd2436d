import type { DocumentPath } from '../base/index.ts';
import type { ChainFile, ExecNode, Node, PlainBody, Step } from './schema.ts';

type Policy = ChainFile['policy'];

/** A part of a chain file that can have a policy or a name of its own. */
export interface ChainPart {
  readonly level: 'chain' | 'node' | 'step' | 'task';
  /** Canonical path `node.step.task`, with `fix_loop` and `on_failure` as steps of their own; `the chain` for the whole. */
  readonly name: string;
  /** Kind of a node or task; null for what has none. */
  readonly kind: string | null;
  readonly at: DocumentPath;
  readonly policy: Policy;
  /** False where `skippable: false` is written. */
  readonly skippable: boolean;
  /** What is around it, outermost first. */
  readonly around: readonly ChainPart[];
}

/** Every part of a chain, in the order in which it is written: the whole first, each before what is inside it. */
export function listParts(file: ChainFile): readonly ChainPart[] {
  const head = { level: 'chain', name: 'the chain', kind: null, at: [], skippable: true, around: [] } as const;
  const chain: ChainPart = { ...head, policy: file.policy };
  return [chain, ...file.nodes.flatMap((node, i) => nodeParts(node, ['nodes', i], [chain]))];
}

/** The steps of a node; `tasks` are one named main. */
export function stepsOf(node: ExecNode): readonly { readonly step: Step; readonly at: DocumentPath }[] {
  if (node.steps === undefined) return [{ step: { id: 'main', tasks: node.tasks ?? [] }, at: [] }];
  return node.steps.map((step, i) => ({ step, at: ['steps', i] }));
}

function nodeParts(node: Node, at: DocumentPath, around: readonly ChainPart[]): readonly ChainPart[] {
  const head = { level: 'node', name: node.id, kind: node.kind ?? 'exec', at, around } as const;
  const part: ChainPart = { ...head, policy: node.policy, skippable: node.skippable ?? true };
  if (node.kind === 'gate') return [part];
  const inside = [...around, part];
  return [
    part,
    ...stepsOf(node).flatMap(({ step, at: below }) => stepParts(step, [...at, ...below], inside)),
    ...bodyParts(node.on_failure, 'on_failure', part),
    ...bodyParts(node.fix_loop, 'fix_loop', part),
  ];
}

function stepParts(step: Step, at: DocumentPath, around: readonly ChainPart[]): readonly ChainPart[] {
  const name = `${around.at(-1)?.name ?? ''}.${step.id}`;
  const head = { level: 'step', name, kind: null, at, around } as const;
  const part: ChainPart = { ...head, policy: step.policy, skippable: step.skippable ?? true };
  const tasks = step.tasks.flatMap((task, i) => {
    const inside = taskPart(task, { at: [...at, 'tasks', i], name, around: [...around, part] });
    return [inside, ...bodyParts(task.on_failure, 'on_failure', inside)];
  });
  return [part, ...tasks, ...bodyParts(step.on_failure, 'on_failure', part)];
}

interface Named {
  readonly id: string;
  readonly kind: string;
  readonly policy?: Policy;
  readonly skippable?: boolean | undefined;
}

type Body = PlainBody & { readonly judge?: Named | undefined };

function bodyParts(body: Body | undefined, key: 'on_failure' | 'fix_loop', owner: ChainPart): readonly ChainPart[] {
  if (body === undefined) return [];
  const around = [...owner.around, owner];
  const name = `${owner.name}.${key}`;
  const at = [...owner.at, key];
  const tasks = (body.tasks ?? []).map((task, i) => taskPart(task, { at: [...at, 'tasks', i], name, around }));
  const steps = (body.steps ?? []).flatMap((step, i) => {
    const below = `${name}.${step.id}`;
    const stepAt = [...at, 'steps', i];
    const head = { level: 'step', name: below, kind: null, at: stepAt, around } as const;
    const part: ChainPart = { ...head, policy: undefined, skippable: true };
    return [part, ...step.tasks.map((task, j) => taskPart(task, { at: [...stepAt, 'tasks', j], name: below, around }))];
  });
  const judge = body.judge === undefined ? [] : [taskPart(body.judge, { at: [...at, 'judge'], name, around })];
  return [...tasks, ...steps, ...judge];
}

function taskPart(task: Named, { at, name, around }: Pick<ChainPart, 'at' | 'name' | 'around'>): ChainPart {
  const head = { level: 'task', name: `${name}.${task.id}`, kind: task.kind, at, around } as const;
  return { ...head, policy: task.policy, skippable: task.skippable ?? true };
}
