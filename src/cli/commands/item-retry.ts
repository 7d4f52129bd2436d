import { defineResumption } from '../act-on-item.ts';

export const itemRetry = defineResumption({
  verb: 'retry',
  done: 'Retried',
  description:
    'Tries again what stopped for a person, from the node where it stopped. First mend what `kraft view show` names as the\nreason.',
  steerExample: 'The fixture is in test/data; do not make a new one.',
  example: 'Try the stopped item again.',
});
