export type * from './resolved.ts';
