import { defineErrors, renderSize } from '../base/index.ts';

export const doctorErrors = defineErrors({
  HOME_NOT_MADE: {
    kind: 'environment',
    message: (p: { path: string }) => `${p.path} does not exist yet.`,
    remedy: () => 'Nothing is wrong before the first use: `kraft repo connect` in a repository makes it.',
  },
  HOME_OPEN_TO_OTHERS: {
    kind: 'environment',
    message: (p: { path: string; mode: string }) =>
      `${p.path} has mode ${p.mode}: other users of this machine can read what is in it.`,
    remedy: (p: { path: string }) => `Run \`chmod 700 '${p.path}'\`.`,
  },
  HOME_FOREIGN: {
    kind: 'environment',
    message: (p: { path: string; ownerUid: number; uid: number }) =>
      `${p.path} belongs to uid ${p.ownerUid} and Kraft runs as uid ${p.uid}.`,
    remedy: (p: { path: string; uid: number }) =>
      `Run \`sudo chown -R ${p.uid} '${p.path}'\`, or set KRAFT_HOME to a directory of your own.`,
  },
  RUNS_AS_ROOT: {
    kind: 'environment',
    message: () => 'Kraft runs as root: whatever leaves a container would be root on this machine.',
    remedy: () => 'Run it as an ordinary user who may use Docker, or with rootless Podman.',
  },
  DAEMON_ABSENT: {
    kind: 'environment',
    message: () => "No daemon runs: items wait, and these rows show this shell's environment, not a daemon's.",
    remedy: () => 'Run `kraft admin start --detach`.',
  },
  DAEMON_OTHER_VERSION: {
    kind: 'environment',
    message: (p: { daemon: string; installed: string }) =>
      `The daemon is version ${p.daemon} and the installed one is ${p.installed}.`,
    remedy: () => 'Run `kraft admin stop`, then `kraft admin start --detach`; running sessions are taken over.',
  },
  WORKTREES_STRAY: {
    kind: 'environment',
    message: (p: { paths: readonly string[] }) => `No item of this home has what lies in ${p.paths.join(', ')}.`,
    remedy: () =>
      'Look into each; if nothing in it is needed, remove it with `rm -r` and run `git worktree prune` in its repository. Kraft removes only what it knows.',
  },
  REPOS_FILE_READABLE: {
    kind: 'config',
    message: (p: { path: string; mode: string; repos: readonly string[] }) =>
      `${p.path} has mode ${p.mode}, so others can read the \`env\` values of ${p.repos.join(', ')}.`,
    remedy: (p: { path: string }) => `Run \`chmod 600 '${p.path}'\`.`,
  },
  MEMORY_OVERCOMMITTED: {
    kind: 'environment',
    message: (p: { maxConcurrent: number; memoryBytes: number; repo: string; totalBytes: number }) =>
      `${p.maxConcurrent} sessions of ${p.repo} at ${renderSize(p.memoryBytes)} each may ask for more memory than this machine has (${renderGib(p.totalBytes)}).`,
    remedy: () => 'Lower `max_concurrent` in policy.yaml or `resources.memory` of the repository.',
  },
  PROBE_WITHOUT_ANSWER: {
    kind: 'environment',
    message: (p: { image: string; cli: string; why: string }) =>
      `A container of ${p.image} that only looks around gave no answer: ${p.why}.`,
    remedy: (p: { image: string; cli: string }) =>
      `See what \`${p.cli} run --rm --network none --entrypoint sh ${p.image} -c true\` says.`,
  },
  LIMIT_NOT_SEEN: {
    kind: 'limit',
    message: (p: { limit: string; asked: string; seen: string }) =>
      `The engine took the limit ${p.limit} ${p.asked}, but inside the container it is ${p.seen}.`,
    remedy: () =>
      'Use cgroup v2; for a rootless engine delegate the controllers (`Delegate=cpu cpuset io memory pids` for user@.service), log in anew and restart the engine.',
  },
  FILES_NOT_YOURS: {
    kind: 'environment',
    message: (p: { image: string; ownerUid: number; uid: number }) =>
      `A file written by a container of ${p.image} belongs to uid ${p.ownerUid} on this machine, not to you (${p.uid}).`,
    remedy: () =>
      'Check that the engine is the one of this user and that /etc/subuid and /etc/subgid have a range for you; restart the engine after changing them.',
  },
  FILES_NOT_WRITABLE: {
    kind: 'environment',
    message: (p: { image: string }) =>
      `A container of ${p.image} cannot write into a directory that is mounted for it to write.`,
    remedy: () =>
      'With SELinux set `selinux: relabel` in sandbox.yaml; else see whether the file system of KRAFT_HOME is mounted read-only.',
  },
  CA_NOT_SEEN: {
    kind: 'environment',
    message: (p: { image: string; file: string }) =>
      `A container of ${p.image} cannot read the mounted certificates of ${p.file}.`,
    remedy: () => 'With SELinux set `selinux: relabel` in sandbox.yaml, and check that the file can be read by you.',
  },
  STORAGE_COPIES: {
    kind: 'environment',
    message: (p: { cli: string }) =>
      `The engine of ${p.cli} stores layers with \`vfs\`: every container copies its whole image first, which takes minutes and disk.`,
    remedy: () =>
      'Use the `overlay` driver (without native rootless overlay install fuse-overlayfs), then let the engine start with an empty store.',
  },
  EGRESS_OPEN: {
    kind: 'environment',
    message: (p: { line: number }) =>
      `Without \`network\` in its sandbox (repos.yaml:${p.line}) the containers have the engine's default network: they reach the internet, your local network and, on a cloud machine, the metadata address.`,
    remedy: () =>
      `Write \`network: {runtime: {}}\` there, then \`kraft repo allow HOST\` for what it needs; \`kraft view egress\` shows what was refused.`,
  },
  EGRESS_ENTRY_DEAD: {
    kind: 'config',
    message: (p: { phase: string; entry: string; why: string }) =>
      `${p.entry} on the allow list of the ${p.phase} phase allows nothing: ${p.why}.`,
    remedy: () => 'Take one of the two out of repos.yaml: a deny wins, and some hosts are never reached.',
  },
  EGRESS_APEX_LEFT_OUT: {
    kind: 'config',
    message: (p: { phase: string; entry: string; apex: string }) =>
      `${p.entry} on the allow list of the ${p.phase} phase does not cover ${p.apex} itself.`,
    remedy: (p: { phase: string; apex: string }) =>
      `\`kraft repo allow ${p.apex} --phase ${p.phase}\` allows it; \`kraft repo deny\` with the same says that this is meant.`,
  },
  EGRESS_HARNESS_HOST_DENIED: {
    kind: 'config',
    message: (p: { harness: string; host: string; by: string }) =>
      `The harness ${p.harness} needs ${p.host}, and ${p.by} on the deny list of the runtime phase refuses it.`,
    remedy: (p: { host: string; by: string }) =>
      `Take ${p.by} off the deny list in repos.yaml, or use a harness that does not need ${p.host}.`,
  },
  NODE_IGNORES_PROXY: {
    kind: 'environment',
    message: (p: { image: string; version: string }) =>
      `Node ${p.version} in ${p.image} does not know NODE_USE_ENV_PROXY: what uses its fetch finds no way out under \`network\`.`,
    remedy: () => 'Use an image with Node 24 (or 22.21) or later, or tools that read the proxy variables themselves.',
  },
  FIELD_NOT_USED: {
    kind: 'config',
    message: (p: { fields: readonly string[] }) => `Nothing in this version uses ${p.fields.join(', ')}.`,
    remedy: () => 'Leave them for later or remove them; they change nothing now.',
  },
  PROXY_NOT_FORWARDED: {
    kind: 'environment',
    message: (p: { name: string; why: string }) => `${p.name} is set and not passed on to containers: ${p.why}.`,
    remedy: () => 'Name the proxy by an address that containers reach, and start the daemon with that.',
  },
  DOCKER_PROXIES_KEPT_OUT: {
    kind: 'environment',
    message: (p: { path: string }) =>
      `\`proxies\` of ${p.path} do not get into Kraft's containers: they have the daemon's proxy variables, or a proxy of their own under \`network\`.`,
    remedy: () => 'If containers need a proxy, start the daemon with HTTP_PROXY, HTTPS_PROXY and NO_PROXY set.',
  },
  CA_FILE_IGNORED: {
    kind: 'environment',
    message: (p: { path: string; why: string }) =>
      `SSL_CERT_FILE names ${p.path}, which is left out of containers: ${p.why}.`,
    remedy: () => 'Correct or unset SSL_CERT_FILE and start the daemon again, or set `ca_bundle` in sandbox.yaml.',
  },
  LAUNCH_NOTE: {
    kind: 'environment',
    message: (p: { note: string }) => `A launch would go on, but: ${p.note.replace(/\.$/, '')}.`,
    remedy: () => 'Nothing has to be done for a launch; mend it if the item needs what is named.',
  },
  SETUP_PROPOSAL: {
    kind: 'config',
    message: (p: { path: string; proposal: string | null }) =>
      `Nobody has decided how a worktree of ${p.path} is set up, so its items stop; ${renderProposal(p.proposal)}.`,
    remedy: (p: { path: string; proposal: string | null }) =>
      `Run \`kraft repo connect ${p.path} --setup-command '${p.proposal ?? '…'}'\`, with an empty one when there is nothing to set up.`,
  },
  TESTS_PROPOSAL: {
    kind: 'config',
    message: (p: { path: string; proposal: string | null }) =>
      `Nobody has decided how ${p.path} is tested, so its items stop after the agent; ${renderProposal(p.proposal)}.`,
    remedy: (p: { path: string; proposal: string | null }) =>
      `Run \`kraft repo connect ${p.path} --test-command '${p.proposal ?? '…'}'\`, or with \`--no-tests\`.`,
  },
  TESTS_NONE: {
    kind: 'config',
    message: (p: { repo: string }) => `${p.repo} declares that it has no tests: nothing checks what an agent did.`,
    remedy: () => 'Set `test_command` in repos.yaml once there are tests.',
  },
});

function renderProposal(proposal: string | null): string {
  return proposal === null ? 'its files propose nothing' : `its files propose \`${proposal}\``;
}

function renderGib(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
