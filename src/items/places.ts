import { isWithin } from './caps.ts';

/** The parts of a chain that a person can name, by their canonical paths; a `Chain` fits. */
export interface ChainPlaces {
  readonly id: string;
  readonly nodes: readonly NodePlaces[];
  /** Parts that nobody may pass over, with where that is written. */
  readonly unskippable: readonly UnskippablePlace[];
}

export type NodePlaces =
  | { readonly kind: 'gate'; readonly id: string; readonly path: string }
  | {
      readonly kind: 'exec';
      readonly id: string;
      readonly path: string;
      readonly steps: readonly { readonly path: string; readonly tasks: readonly { readonly path: string }[] }[];
    };

export interface UnskippablePlace {
  readonly part: string;
  readonly file: string;
  readonly line: number;
}

/** Every path of a node: its own, its steps' and their tasks', in the order of the chain. */
export function pathsOf(node: NodePlaces): readonly string[] {
  if (node.kind === 'gate') return [node.path];
  return [node.path, ...node.steps.flatMap((step) => [step.path, ...step.tasks.map((task) => task.path)])];
}

/** The node that a path names or lies in; undefined for a path that the chain does not have. */
export function findNode(chain: ChainPlaces, path: string): NodePlaces | undefined {
  return chain.nodes.find((node) => pathsOf(node).includes(path));
}

/** What is not run when a node is entered at a path inside it: the steps before, and the tasks beside. */
export function passedBy(node: NodePlaces, enterAt: string): readonly string[] {
  if (node.kind === 'gate') return [];
  const entered = node.steps.findIndex((step) => isWithin(enterAt, step.path));
  const step = node.steps[entered];
  if (step === undefined) return [];
  const before = node.steps.slice(0, entered).flatMap(({ path, tasks }) => [path, ...tasks.map((task) => task.path)]);
  const beside = step.tasks.map((task) => task.path).filter((path) => enterAt !== step.path && path !== enterAt);
  return [...before, ...beside];
}

/** The first part that must not be passed over together with `path`: itself, what is inside it, or what it is a part of. */
export function findUnskippable(chain: ChainPlaces, path: string): UnskippablePlace | undefined {
  return chain.unskippable.find(({ part }) => isWithin(part, path) || isWithin(path, part));
}
