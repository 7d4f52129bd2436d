import { defineThreadAction } from '../act-on-thread.ts';

export const itemReopen = defineThreadAction({
  verb: 'reopen',
  done: 'Reopened',
  description: 'Opens a resolved review thread again.',
});
