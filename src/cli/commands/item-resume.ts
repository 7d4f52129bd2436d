import { defineResumption } from '../act-on-item.ts';

export const itemResume = defineResumption({
  verb: 'resume',
  done: 'Resumed',
  description:
    'Goes on with an item that was paused. An item that was only filed begins with `kraft item start`; one that stopped\nfor a person is taken up with `kraft item retry`.',
  steerExample: 'Leave the old tests as they are.',
  example: 'Go on with the item whose id begins with k7mq.',
});
