export type * from './item.ts';
