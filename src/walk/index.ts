export type * from './walker.ts';
