import type { PolicyLayer, Sandbox } from '../config/index.ts';

/** A chain as an item walks it: frozen onto the item, so plain data. */
export interface Chain {
  readonly id: string;
  readonly description: string;
  /** Of the chain as a whole; without the repository's. */
  readonly policy: readonly PolicyLayer[];
  readonly nodes: readonly ChainNode[];
  /** Every sandbox that a policy in the file names; each must be the repository's own (CC 3.1). */
  readonly sandboxes: readonly DeclaredSandbox[];
  /** Where `skippable: false` is written. */
  readonly unskippable: readonly UnskippablePart[];
  /** Parts that this version cannot do, each as `canonical.path: what`; an item on such a chain runs nothing. */
  readonly unbuilt: readonly string[];
}

export interface DeclaredSandbox {
  /** Canonical path, or `the chain`. */
  readonly part: string;
  readonly file: string;
  readonly line: number;
  /** Null: `false` was written, which is none. */
  readonly sandbox: Sandbox | null;
}

/** A part that a person may not pass over. */
export interface UnskippablePart {
  /** Canonical path. */
  readonly part: string;
  readonly file: string;
  readonly line: number;
}

export type ChainNode = ExecNode | GateNode;

/** What every part of a chain has. */
interface Part {
  /** Canonical path: `node`, `node.step` or `node.step.task`; `fix_loop` and `on_failure` are words in it like steps. */
  readonly path: string;
  /** What the policies of the chain, the node and so on down to this part say, outermost first; without the repository's. */
  readonly policy: readonly PolicyLayer[];
  /** Whether a person may pass over it. */
  readonly skippable: boolean;
}

export interface ExecNode extends Part {
  readonly kind: 'exec';
  readonly id: string;
  /** One after the other. */
  readonly steps: readonly ChainStep[];
  /** Run once for an entry when the node fails, before its fix loop; empty for none. */
  readonly onFailure: readonly PlainStep[];
  readonly fixLoop: FixLoopDeclaration | null;
}

export interface FixLoopDeclaration {
  readonly steps: readonly PlainStep[];
  readonly judge: AgentChainTask | null;
  /** Its own; null for the policy's. */
  readonly maxAttempts: number | null;
}

/** The walk stops at a gate until a person approves or rejects it. */
export interface GateNode extends Part {
  readonly kind: 'gate';
  readonly id: string;
  /** What the person is asked; null for the usual words. */
  readonly message: string | null;
  /** Exec node that a rejected item goes back to; null for the nearest one before the gate. */
  readonly rejectTo: string | null;
}

export interface ChainStep extends Part {
  readonly id: string;
  /** Side by side. */
  readonly tasks: readonly ChainTask[];
  readonly onFailure: readonly PlainStep[];
}

/** A step of a recovery or of a repair: nothing below it recovers. */
export interface PlainStep {
  readonly path: string;
  readonly tasks: readonly ChainTask[];
}

export type ChainTask = AgentChainTask | SubprocessChainTask | BuiltinChainTask;

interface TaskPart extends Part {
  /** Run once for an entry when the task fails; empty for none. */
  readonly onFailure: readonly PlainStep[];
}

export interface AgentChainTask extends TaskPart {
  readonly kind: 'agent';
  /** Null: the item's. */
  readonly harness: string | null;
  readonly prompt: string | null;
  /** Profile of harnesses.yaml for model, effort and fallback; excludes the two that follow. */
  readonly profile: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  /** What to go on with under a rate limit; null for the profile's, empty for nothing (CC 4.5). */
  readonly fallback: readonly FallbackEntry[] | null;
}

export interface FallbackEntry {
  readonly harness: string | null;
  readonly profile: string | null;
  readonly model: string | null;
  readonly effort: string | null;
}

export interface SubprocessChainTask extends TaskPart {
  readonly kind: 'subprocess';
  readonly command: string;
}

export interface BuiltinChainTask extends TaskPart {
  readonly kind: 'builtin';
  readonly ref: 'kraft.verify_changed_test_scopes';
  /** Whether its scopes run side by side. */
  readonly parallel: boolean;
}

/** Every task of a chain with its node, in the order written: steps, then recoveries, repairs and judges. */
export function listTasks(
  chain: Pick<Chain, 'nodes'>,
): readonly { readonly nodeId: string; readonly task: ChainTask }[] {
  return chain.nodes.flatMap((node) =>
    node.kind === 'gate' ? [] : tasksOf(node).map((task) => ({ nodeId: node.id, task })),
  );
}

function tasksOf(node: ExecNode): readonly ChainTask[] {
  const plain = (steps: readonly PlainStep[]): readonly ChainTask[] => steps.flatMap((step) => step.tasks);
  return [
    ...node.steps.flatMap((step) => [
      ...step.tasks.flatMap((task) => [task, ...plain(task.onFailure)]),
      ...plain(step.onFailure),
    ]),
    ...plain(node.onFailure),
    ...(node.fixLoop === null
      ? []
      : [...plain(node.fixLoop.steps), ...(node.fixLoop.judge ? [node.fixLoop.judge] : [])]),
  ];
}
