export type * from './options.ts';
export type * from './report.ts';
