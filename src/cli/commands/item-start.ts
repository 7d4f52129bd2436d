import { defineItemAction } from '../act-on-item.ts';

export const itemStart = defineItemAction({
  verb: 'start',
  done: 'Started',
  description:
    'Starts an item that has been filed. It waits while as many items run as `max_concurrent` in policy.yaml allows.\nA paused item goes on with `kraft item resume`.',
  example: 'Start the item whose id begins with k7mq.',
});
