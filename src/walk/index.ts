export type * from './walker.ts';
export type { ReviewResult } from './answer-gate.ts';
export type { ReviewRequest, Reviews } from './reviews.ts';
export { findStrayWorktrees, type ItemStorage, type StorageReport, type StrayStorage } from './storage.ts';
export type { WalkPorts } from './ports.ts';
export { createWalker } from './create-walker.ts';
export { walkErrors } from './errors.ts';
export { thaw, worktreeOf, type Frozen } from './frozen.ts';
export { lookAhead, type Outlook } from './look-ahead.ts';
