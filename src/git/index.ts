export type * from './git.ts';
