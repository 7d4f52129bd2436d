import { defineErrors } from '../base/index.ts';

export const itemErrors = defineErrors({
  ITEM_UNKNOWN: {
    kind: 'usage',
    message: (p: { id: string }) => `There is no item whose id starts with "${p.id}".`,
    remedy: () => 'See the ids with `kraft view list --all`.',
  },
  ITEM_AMBIGUOUS: {
    kind: 'usage',
    message: (p: { id: string; matches: readonly string[] }) =>
      `Several items start with "${p.id}": ${p.matches.join(', ')}.`,
    remedy: () => 'Type one more character of the id.',
  },
  ITEM_ALREADY_STARTED: {
    kind: 'usage',
    message: (p: { id: string }) =>
      `Item ${p.id} was started before and is paused; \`start\` is for an item that has only been filed.`,
    remedy: (p: { id: string }) => `Run \`kraft item resume ${p.id}\`.`,
  },
  ITEM_NOT_STARTED: {
    kind: 'usage',
    message: (p: { id: string; verb: string }) =>
      `Item ${p.id} is filed and has never been started, so there is nothing to ${p.verb}.`,
    remedy: (p: { id: string }) => `Run \`kraft item start ${p.id}\`.`,
  },
  ITEM_STOPPED: {
    kind: 'usage',
    message: (p: { id: string; verb: string; reason: string }) =>
      `Item ${p.id} has stopped for a person, and \`${p.verb}\` does not take it on: ${p.reason}`,
    remedy: (p: { id: string }) => `Mend what stopped it, then run \`kraft item retry ${p.id}\`.`,
  },
  ITEM_NOT_STOPPED: {
    kind: 'usage',
    message: (p: { id: string; status: string }) =>
      `Item ${p.id} is ${p.status}; \`retry\` is for an item that has stopped for a person.`,
    remedy: (p: { id: string; status: string }) =>
      p.status === 'paused' || p.status === 'rate_limited'
        ? `Run \`kraft item resume ${p.id}\`.`
        : `See where it stands with \`kraft view show ${p.id}\`.`,
  },
  ITEM_ENDED: {
    kind: 'usage',
    message: (p: { id: string; status: string; verb: string }) =>
      `Item ${p.id} is ${p.status}, so it cannot ${p.verb} any more.`,
    remedy: () => 'File a new item with `kraft item create`.',
  },
  ITEM_PAUSING: {
    kind: 'usage',
    message: (p: { id: string }) => `Item ${p.id} is about to pause and its session is still ending.`,
    remedy: (p: { id: string }) =>
      `Wait until \`kraft view show ${p.id}\` says paused, then run \`kraft item resume ${p.id}\`.`,
  },
});
