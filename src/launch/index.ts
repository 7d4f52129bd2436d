export type * from './launch.ts';
