export type * from './harness.ts';
