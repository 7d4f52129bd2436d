import { defineErrors } from '../base/index.ts';

export const egressErrors = defineErrors({
  EGRESS_LISTS_UNREADABLE: {
    kind: 'bug',
    message: (p: { list: string; problem: string }) =>
      `The ${p.list} list that a session was launched under ${p.problem}, so nothing can be decided by it.`,
    remedy: () => 'Run `kraft item retry` on its item: the next session gets lists that are checked afresh.',
  },
});
