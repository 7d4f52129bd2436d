export type * from './kraft.ts';
