export type * from './item.ts';
export { atStart } from './item.ts';
export { decide, type ItemCommand, type ItemDecision, type ItemVerb } from './decide.ts';
export { itemErrors } from './errors.ts';
export { pickNext } from './pick-next.ts';
export { renderPrompt, type PromptFacts } from './prompt.ts';
export { branchName, isBranchName } from '../refs/index.ts';
export { nextVerb, pickByPrefix, renderMergeCommand, renderNextCommand } from './render.ts';
