import { defineErrors } from '../base/index.ts';

export const egressErrors = defineErrors({
  EGRESS_LISTS_UNREADABLE: {
    kind: 'bug',
    message: (p: { list: string; problem: string }) =>
      `The ${p.list} list that a session was launched under ${p.problem}, so nothing can be decided by it.`,
    remedy: () => 'Run `kraft item retry` on its item: the next session gets lists that are checked afresh.',
  },
  UPSTREAM_PROXY_UNUSABLE: {
    kind: 'environment',
    message: (p: { variable: string; why: string }) =>
      `The proxy of this machine in ${p.variable} cannot be used: ${p.why}.`,
    remedy: (p: { variable: string }) =>
      `Set ${p.variable} of the daemon to \`http://host:port\` (with \`user:password@\` percent-encoded), or unset it, and restart the daemon.`,
  },
});
