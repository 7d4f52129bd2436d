export type * from './item.ts';
export { atStart } from './item.ts';
export { decide, type ItemCommand, type ItemDecision, type ItemVerb } from './decide.ts';
export { decideFork, decideRetry, type Fork } from './decide-fork.ts';
export { decideSkip, type Skip } from './decide-skip.ts';
export { decideGate, gateOf, reopenedGates, type GateAnswer, type Gates } from './decide-gate.ts';
export {
  commentsMax,
  normaliseFile,
  refuseReviewText,
  reviewTextMaxBytes,
  threadsMax,
  type Claim,
  type Thread,
  type ThreadComment,
  type ThreadView,
} from './thread.ts';
export { decideFixLoop, normalizeOutput, runOf, type LoopBounds, type LoopDecision } from './fix-loop.ts';
export {
  dailyCap,
  explainTimeCap,
  findReached,
  isWithin,
  meetCaps,
  renderReached,
  sessionTimeMs,
  type Cap,
  type CapLayer,
  type CapNumbers,
  type Caps,
  type CapScope,
  type ReachedCap,
  type SessionUse,
  type Use,
} from './caps.ts';
export { decideRateLimit, type RateLimitDecision } from './rate-limit.ts';
export { addSteer } from './steer.ts';
export type { WorkerCalls, WorkerIdentity, WorkerItemView } from './worker-calls.ts';
export { itemErrors } from './errors.ts';
export { pickNext } from './pick-next.ts';
export { renderPrompt, renderResume, type PromptFacts, type PromptFailure } from './prompt.ts';
export { branchName, isBranchName } from '../refs/index.ts';
export { nextVerb, pickByPrefix, renderDiffCommand, renderMergeCommand, renderNextCommand } from './render.ts';
