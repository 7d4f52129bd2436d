import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from './resolved.ts';

/** Names of the fields in which two sandboxes in their normal form differ, without their values; empty for equal ones. Pure. */
export function listSandboxChanges(a: Sandbox | null, b: Sandbox | null): readonly string[] {
  if (a === null || b === null) return a === b ? [] : ['sandbox'];
  const [left, right] = [flatten(a), flatten(b)];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.filter((key) => !isDeepStrictEqual(left[key], right[key])).map((key) => `sandbox.${key}`);
}

function flatten(sandbox: Sandbox): Readonly<Record<string, unknown>> {
  if (sandbox.kind === 'kit') return { ...sandbox };
  const { resources, ...rest } = sandbox;
  const limits = { cpu: resources.cpu, memory: resources.memoryBytes, pids: resources.pids };
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(limits).map(([key, value]) => [`resources.${key}`, value])),
  };
}
