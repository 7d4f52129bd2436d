import { meetLayers, resolvePolicy, resolveToolPolicy, type PolicyLayers } from '../config/index.ts';
import type { LoadedChain } from './load.ts';
import { listParts, type ChainPart } from './parts.ts';
import type { Node } from './schema.ts';

/** A chain for people: its parts in order, each with what holds there and what of it does not run yet. */
export interface ChainOutline {
  readonly id: string;
  readonly description: string;
  readonly file: string;
  /** As the file has them, in the words of its format. */
  readonly nodes: readonly Node[];
  readonly parts: readonly OutlinePart[];
  /** Every part that does not run yet, with what it is. */
  readonly unbuilt: readonly string[];
}

export interface OutlinePart {
  readonly level: ChainPart['level'];
  /** Canonical path, or `the chain`. */
  readonly name: string;
  readonly kind: string | null;
  /** What of it is not built yet; empty when it runs. */
  readonly unbuilt: readonly string[];
  /** What the policies of the chain and of policy.yaml come to here, without those of a repository; only what is set. */
  readonly policy: Readonly<Record<string, unknown>>;
}

/** Pure. */
export function outlineChain({ chain, written, file }: LoadedChain, layers: PolicyLayers): ChainOutline {
  const parts = listParts(written).map((part): OutlinePart => {
    const start = `${part.name}: `;
    return {
      level: part.level,
      name: part.name,
      kind: part.kind,
      unbuilt: chain.unbuilt.flatMap((line) => (line.startsWith(start) ? [line.slice(start.length)] : [])),
      policy: policyAt(part, layers),
    };
  });
  return { id: chain.id, description: chain.description, file, nodes: written.nodes, parts, unbuilt: chain.unbuilt };
}

function policyAt(part: ChainPart, layers: PolicyLayers): Readonly<Record<string, unknown>> {
  const met = meetLayers([...part.around, part].flatMap(({ policy }) => policy ?? []));
  const whole = { ...resolveToolPolicy(met, [], layers), ...resolvePolicy(met, layers) };
  return Object.fromEntries(
    Object.entries(whole).filter(([key, value]) => value !== null && !(key !== 'allowedTools' && isEmpty(value))),
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
