import { defineThreadAction } from '../act-on-thread.ts';

export const itemResolve = defineThreadAction({
  verb: 'resolve',
  done: 'Resolved',
  description: 'Settles a review thread: agents are not told of it any more.',
});
