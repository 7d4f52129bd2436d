import type { Sandbox } from '../config/index.ts';

/** A chain as an item walks it: frozen onto the item, so plain data. */
export interface Chain {
  readonly id: string;
  readonly description: string;
  readonly nodes: readonly ChainNode[];
  /** Every sandbox that a policy in the file names; each must be the repository's own (CC 3.1). */
  readonly sandboxes: readonly DeclaredSandbox[];
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

export interface ChainNode {
  readonly id: string;
  /** In order; those that are not built are left out. */
  readonly tasks: readonly ChainTask[];
}

export type ChainTask = AgentChainTask | SubprocessChainTask | BuiltinChainTask;

export interface AgentChainTask {
  readonly kind: 'agent';
  /** Canonical path `node.step.task`. */
  readonly path: string;
  /** Null: the item's. */
  readonly harness: string | null;
  readonly prompt: string | null;
  readonly model: string | null;
  readonly effort: string | null;
}

export interface SubprocessChainTask {
  readonly kind: 'subprocess';
  readonly path: string;
  readonly command: string;
}

export interface BuiltinChainTask {
  readonly kind: 'builtin';
  readonly path: string;
  readonly ref: 'kraft.verify_changed_test_scopes';
}
