import { defineItemAction } from '../act-on-item.ts';

export const itemPause = defineItemAction({
  verb: 'pause',
  done: 'Paused',
  description:
    'Pauses a running item: its session is interrupted, the worktree and the commits stay.\n`kraft item resume` goes on.',
  example: 'Pause the item whose id begins with k7mq.',
});
