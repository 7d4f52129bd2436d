import { defineErrors } from '../base/index.ts';

export const composeErrors = defineErrors({
  HOME_UNUSABLE: {
    kind: 'environment',
    message: (p: { path: string; why: string }) => `${p.path} cannot hold Kraft's files: ${p.why}.`,
    remedy: () => 'Name a directory of your own in KRAFT_HOME (or KRAFT_RUN_DIR, KRAFT_CONFIG_DIR).',
  },
  HOME_UNSAFE: {
    kind: 'denied',
    message: (p: { path: string; why: string; fix: string }) => `${p.path} is not safe to use: ${p.why}.`,
    remedy: (p: { path: string; why: string; fix: string }) => p.fix,
  },
  REPO_UNKNOWN: {
    kind: 'usage',
    message: (p: { repo: string }) => `${p.repo} is no connected repository and lies in none.`,
    remedy: (p: { repo: string }) =>
      `Connect it with \`kraft repo connect ${p.repo}\`, or name another with \`--repo\`; \`kraft repo list\` shows them.`,
  },
  REPO_LABEL_AMBIGUOUS: {
    kind: 'usage',
    message: (p: { repo: string; paths: readonly string[] }) =>
      `Several repositories are named ${p.repo}: ${p.paths.join(', ')}.`,
    remedy: () => 'Name one by its path.',
  },
  SESSION_UNKNOWN: {
    kind: 'usage',
    message: (p: { id: string; session: string | null }) =>
      p.session === null ? `Item ${p.id} has run no session yet.` : `Item ${p.id} has no session ${p.session}.`,
    remedy: (p: { id: string; session: string | null }) => `See its sessions with \`kraft view show ${p.id}\`.`,
  },
  HOST_MALFORMED: {
    kind: 'usage',
    message: (p: { host: string; problem: string }) => `${p.host} cannot be asked for: ${p.problem}.`,
    remedy: () => 'Name a host and a port, such as `api.example.com:443`; a request for this is answered with 400.',
  },
  HOST_UNRESOLVED: {
    kind: 'upstream',
    message: (p: { host: string; why: string }) =>
      `The lists allow ${p.host}, but it does not resolve on this machine (${p.why}), so its addresses cannot be judged.`,
    remedy: () =>
      'Check the name and this machine’s DNS; with `--no-resolve` it is decided by the name alone. A session gets a 502.',
  },
});
