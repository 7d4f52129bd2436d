import type { ContainerLimits, ThrowawayResult } from '../runtime/index.ts';
import { launchErrors } from './errors.ts';

/**
 * A container that only looks is bound by the limits of its sandbox too, and is gone with its end: nobody can be asked
 * any more, so its 137 under a memory limit counts unconfirmed, and is not taken for a fault of the image.
 * Errors: MEMORY_LIMIT_REACHED.
 */
export function refuseLimitKill(result: ThrowawayResult, { memoryBytes }: Pick<ContainerLimits, 'memoryBytes'>): void {
  if (memoryBytes === null || result.timedOut || result.exitCode !== 137) return;
  throw launchErrors.create('MEMORY_LIMIT_REACHED', { memoryBytes, confirmed: false, peakBytes: null });
}
