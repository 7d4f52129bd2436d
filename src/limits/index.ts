export { limitErrors } from './errors.ts';
export { defaultPids, planLimits, type LimitsPlan, type RequestedLimits } from './plan.ts';
export {
  addMemoryReading,
  isHostShort,
  isLimitKill,
  nothingSeen,
  suggestMemory,
  type MemoryEvidence,
} from './memory-evidence.ts';
export { describeLimits } from './render.ts';
export { confirmOom, oomGraceMs, oomPollMs, type OomEvidence, type OomVerdict } from './confirm-oom.ts';
