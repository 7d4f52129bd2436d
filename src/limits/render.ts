import type { EngineFacts } from '../runtime/index.ts';

/** What the machine enforces, in words for doctor: `cpu, memory (swap unbounded), pids`. */
export function describeLimits(enforceable: EngineFacts['enforceable']): string {
  if (enforceable === 'unknown') return 'unknown: the engine gave no readable answer about its limits';
  const words = [
    ...(enforceable.has('cpu') ? ['cpu'] : []),
    ...(enforceable.has('memory') ? [enforceable.has('swap') ? 'memory' : 'memory (swap unbounded)'] : []),
    ...(enforceable.has('pids') ? ['pids'] : []),
  ];
  if (words.length > 0) return words.join(', ');
  return 'no resource limits: enforcing any needs cgroup v2 with Delegate=cpu cpuset io memory pids for user@.service';
}
