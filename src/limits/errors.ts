import { defineErrors } from '../base/index.ts';

const remedy = (p: { controller: string }): string =>
  `Use cgroup v2 and delegate the controller "${p.controller}" to the user: a drop-in /etc/systemd/system/user@.service.d/delegate.conf with "[Service]" and "Delegate=cpu cpuset io memory pids", then \`systemctl daemon-reload\` and a new login. Or take the limit out of repos.yaml.`;

export const limitErrors = defineErrors({
  LIMIT_UNENFORCEABLE: {
    kind: 'limit',
    message: (p: { limit: string; value: string; controller: string; engine: string }) =>
      `resources.${p.limit}: ${p.value} is asked for, but ${p.engine} cannot enforce it here: the cgroup controller "${p.controller}" is not available to it.`,
    remedy,
  },
  LIMIT_UNKNOWN: {
    kind: 'limit',
    message: (p: { limit: string; value: string; engine: string }) =>
      `resources.${p.limit}: ${p.value} is asked for, but Kraft could not tell whether it would be enforced: ${p.engine} gave no readable answer about its limits.`,
    remedy: () =>
      'Run `kraft admin doctor`, which asks again at once (a launch does half a minute later), then `kraft item retry`; or take the limit out of repos.yaml.',
  },
});
