export type * from './item.ts';
export { decide, type ItemCommand, type ItemDecision, type ItemVerb } from './decide.ts';
export { itemErrors } from './errors.ts';
export { pickNext } from './pick-next.ts';
export { renderPrompt, type PromptFacts } from './prompt.ts';
export { nextVerb, pickByPrefix, renderBranch, renderMergeCommand, renderNextCommand, renderSlug } from './render.ts';
