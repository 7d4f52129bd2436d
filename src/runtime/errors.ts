import { defineErrors } from '../base/index.ts';

/** One try at finding an engine: which CLI, where it would have asked, and why that gave nothing. */
export interface EngineAttempt {
  readonly cli: string;
  /** Null when it did not come to an endpoint. */
  readonly endpoint: string | null;
  readonly why: string;
}

function renderAttempt(attempt: EngineAttempt): string {
  return `${attempt.cli}${attempt.endpoint === null ? '' : ` at ${attempt.endpoint}`} (${attempt.why})`;
}

export const runtimeErrors = defineErrors({
  ENGINE_UNREACHABLE: {
    kind: 'environment',
    message: (p: { attempts: readonly EngineAttempt[] }) =>
      `No container engine answered. Tried ${p.attempts.map(renderAttempt).join(', ')}.`,
    remedy: () =>
      'Start Docker or Podman as the user who runs Kraft, or name one in sandbox.yaml (cli: docker or cli: podman). `kraft admin doctor` shows each attempt.',
  },
  ENGINE_REMOTE: {
    kind: 'environment',
    message: (p: { endpoint: string; why: string }) =>
      `The container engine at ${p.endpoint} is not on this machine: ${p.why}. Worktrees are bind-mounted, so Kraft launches on a local engine alone.`,
    remedy: () =>
      'Use an engine of this machine: unset DOCKER_HOST and CONTAINER_HOST or choose a local context (`docker context use default`), or set `cli` in sandbox.yaml.',
  },
  ENGINE_IDENTITY_UNKNOWN: {
    kind: 'environment',
    message: (p: { cli: string; endpoint: string }) =>
      `${p.cli} at ${p.endpoint} did not say whether it is rootless and labels mounts, so Kraft cannot tell which user a container would run as.`,
    remedy: (p: { cli: string }) =>
      `See how long \`time ${p.cli} info\` takes and what it prints, then run \`kraft admin doctor\`, which asks again.`,
  },
  ENGINE_TIMEOUT: {
    kind: 'environment',
    message: (p: { cli: string; call: string; timeoutMs: number }) =>
      `${p.cli} gave no answer to "${p.call}" within ${p.timeoutMs / 1000} s.`,
    remedy: (p: { cli: string }) => `See whether \`${p.cli} ps\` answers; restart the engine when it does not.`,
  },
  ENGINE_CALL_FAILED: {
    kind: 'environment',
    message: (p: { cli: string; call: string; why: string }) => `${p.cli} refused "${p.call}": ${p.why}.`,
    remedy: (p: { cli: string }) => `See what \`${p.cli} info\` says, then \`kraft admin doctor\`.`,
  },
  IMAGE_PULL_FAILED: {
    kind: 'environment',
    message: (p: { image: string; why: string }) =>
      `The image ${p.image} is not here and could not be pulled: ${p.why}.`,
    remedy: () =>
      'Check the name and the registry login, or build it here; `kraft admin images build` makes the images of Kraft itself.',
  },
  IMAGE_BUILD_FAILED: {
    kind: 'environment',
    message: (p: { image: string; why: string }) => `The image ${p.image} could not be built: ${p.why}.`,
    remedy: () => 'Read the output of the build above, then run `kraft admin images build` again.',
  },
  CONTAINER_NOT_STARTED: {
    kind: 'environment',
    message: (p: { cli: string; name: string; why: string }) =>
      `${p.cli} could not start the container ${p.name}: ${p.why}.`,
    remedy: (p: { cli: string }) => `See what \`${p.cli} info\` says, then \`kraft admin doctor\`.`,
  },
  MOUNT_PATH_UNSUPPORTED: {
    kind: 'environment',
    message: (p: { path: string }) =>
      `The path ${JSON.stringify(p.path)} cannot be mounted into a container: engines and git separate paths with colons, and a path must be absolute and free of control characters.`,
    remedy: () => 'Rename the folder, or move the repository or KRAFT_HOME to a path without such characters.',
  },
  CONTAINER_SPEC_INVALID: {
    kind: 'config',
    message: (p: { what: string; value: string }) =>
      `${JSON.stringify(p.value)} is not usable as ${p.what} of a container.`,
    remedy: () =>
      'Correct it in repos.yaml: an image reference starts with a letter or digit, a variable name holds no "=", "*" or blanks.',
  },
  SELINUX_CHOICE_NEEDED: {
    kind: 'config',
    message: () =>
      'SELinux enforces on this machine and the container engine labels its mounts, so a container may not read the worktree until you choose how.',
    remedy: () =>
      'Set `selinux: relabel` in sandbox.yaml (mounted folders get the shared container label) or `selinux: disable` (the containers run without a label).',
  },
  FOREIGN_OWNER: {
    kind: 'environment',
    message: (p: { path: string; ownerUid: number; uid: number }) =>
      `${p.path} belongs to uid ${p.ownerUid}, but on a rootless engine a container works as uid ${p.uid} and could not write it.`,
    remedy: (p: { path: string; uid: number }) =>
      `Run \`sudo chown -R ${p.uid} '${p.path}'\`, or remove it, then start again.`,
  },
});
