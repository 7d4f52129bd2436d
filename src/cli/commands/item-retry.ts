import { defineItemAction } from '../act-on-item.ts';

export const itemRetry = defineItemAction({
  verb: 'retry',
  done: 'Retried',
  description:
    'Tries again what stopped for a person, from the node where it stopped. First mend what `kraft view show` names as the\nreason.',
  example: 'Try the stopped item again.',
});
