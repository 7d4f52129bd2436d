import { defineErrors, renderSize } from '../base/index.ts';
import { suggestMemory } from '../limits/index.ts';

export const launchErrors = defineErrors({
  FEATURE_NOT_BUILT: {
    kind: 'config',
    message: (p: { what: string }) =>
      `The sandbox asks for ${p.what}, which this version of Kraft does not enforce yet.`,
    remedy: (p: { what: string }) =>
      `Remove ${p.what} from the entry in repos.yaml to run without it, or wait for the version that has it.`,
  },
  ROUTE_NOT_SERVED: {
    kind: 'environment',
    message: () =>
      'The sandbox has a network policy, and this process serves no proxy that its session could be given a way to.',
    remedy: () => 'Start the daemon with `kraft admin start`: it launches sessions and serves their network.',
  },
  IMAGE_MISSING: {
    kind: 'environment',
    message: (p: { cli: string; image: string }) => `The image ${p.image} is not on this machine.`,
    remedy: (p: { cli: string; image: string }) =>
      `Run \`${p.cli} pull ${p.image}\`; \`kraft admin images build\` makes the images of Kraft itself.`,
  },
  IMAGE_UNREADABLE: {
    kind: 'environment',
    message: (p: { image: string; why: string }) =>
      `Kraft could not look into the image ${p.image} (its users and root certificates): ${p.why}.`,
    remedy: () =>
      'The image needs `sh` and `cat`, and the engine must be able to start a container from it; then start the item again.',
  },
  PROGRAMS_MISSING: {
    kind: 'config',
    message: (p: { image: string; missing: readonly { program: string; neededBy: string }[] }) =>
      `The image ${p.image} lacks ${p.missing.map((m) => `${m.program} (needed by ${m.neededBy})`).join(', ')}.`,
    remedy: () =>
      'Install what is missing in the image, or name another one with `kraft repo connect --image`; then run `kraft item retry`.',
  },
  PROGRAM_BROKEN: {
    kind: 'config',
    message: (p: { image: string; program: string; neededBy: string; why: string; cli: string }) =>
      `${p.program} (needed by ${p.neededBy}) is in the image ${p.image} but does not start: ${p.why}.`,
    remedy: (p: { program: string; image: string; cli: string }) =>
      `Install ${p.program} in the image anew; \`${p.cli} run --rm ${p.image} ${p.program} --version\` shows the fault.`,
  },
  DISK_FLOOR: {
    kind: 'environment',
    message: (p: { path: string; freeBytes: number; floorBytes: number }) =>
      `Only ${Math.floor(p.freeBytes / 1024 ** 2)} MiB are free under ${p.path}; Kraft launches nothing under ${renderSize(p.floorBytes)}.`,
    remedy: () =>
      'Free some space (old items: `kraft item abandon`), or lower `disk_floor` in policy.yaml; then resume the item.',
  },
  CONTAINER_NOT_CREATED: {
    kind: 'environment',
    message: (p: { words: string }) => `The engine did not create the container: ${p.words}.`,
    remedy: () =>
      'Mend what the engine names, then run `kraft item retry`; `kraft admin doctor` checks the same things.',
  },
  SUBORDINATE_IDS_TOO_FEW: {
    kind: 'environment',
    message: (p: { words: string }) =>
      `The image holds files of users that your range of subordinate ids does not cover: ${p.words}.`,
    remedy: () =>
      'Give yourself a range of 65536 or more in /etc/subuid and /etc/subgid, run `podman system migrate`, then `kraft item retry`.',
  },
  MEMORY_LIMIT_REACHED: {
    kind: 'limit',
    message: (p: { memoryBytes: number; confirmed: boolean; peakBytes: number | null }) =>
      p.confirmed
        ? `The memory limit of ${renderSize(p.memoryBytes)} killed a process of the sandbox${p.peakBytes === null ? '' : `, which had come to use ${renderSize(p.peakBytes)}`}.`
        : `The container ended with code 137 under its memory limit of ${renderSize(p.memoryBytes)}; the engine did not confirm that the limit killed it.`,
    remedy: (p: { memoryBytes: number; peakBytes: number | null }) =>
      `Raise \`sandbox.resources.memory\` in repos.yaml, to ${renderSize(suggestMemory(p.memoryBytes, p.peakBytes))} for a start, then run \`kraft item retry\`: the same limit would end the same way.`,
  },
  HOST_MEMORY_SHORT: {
    kind: 'environment',
    message: (p: { exitCode: number | null }) =>
      `The machine as a whole ran out of memory while the container ran, which ended${p.exitCode === null ? '' : ` with code ${p.exitCode}`}; nothing says that a memory limit of the sandbox killed it.`,
    remedy: () =>
      'Free memory on this machine, or run fewer items at once (`max_concurrent` in policy.yaml); then run `kraft item retry`.',
  },
  ENGINE_LOST: {
    kind: 'environment',
    message: (p: { why: string }) => `The container engine does not tell how the session ended: ${p.why}.`,
    remedy: () =>
      'See with `kraft admin doctor` that the engine runs and has its images; then run `kraft item retry`. Worktree and commits have been kept.',
  },
  LOG_CAP_FAILED: {
    kind: 'environment',
    message: (p: { path: string; why: string }) =>
      `The log ${p.path} reached its cap and its middle could not be dropped: ${p.why}. The session was stopped so that the disk does not fill.`,
    remedy: () =>
      'Put KRAFT_RUN_DIR on a file system that can punch holes (ext4, xfs, btrfs, tmpfs), or make the command print less.',
  },
  SANDBOX_MOUNTS_WRONG: {
    kind: 'environment',
    message: (p: { problems: readonly string[] }) =>
      `The container does not see what Kraft mounted: ${p.problems.join('; ')}.`,
    remedy: () =>
      'Nothing was run. Check the engine and the file system of KRAFT_HOME with `kraft admin doctor`, then run `kraft item retry`.',
  },
  STATE_PATH_REFUSED: {
    kind: 'environment',
    message: (p: { path: string; why: string }) => `Kraft cannot use its own path ${p.path}: ${p.why}.`,
    remedy: (p: { path: string }) => `Move ${p.path} out of the way; Kraft makes it anew.`,
  },
  COMMAND_TOO_LONG: {
    kind: 'config',
    message: (p: { sizeBytes: number; maxBytes: number }) =>
      `An argument of the command is ${p.sizeBytes} bytes long, and the system takes ${p.maxBytes} at most.`,
    remedy: () => 'Shorten the description of the item; put long material into a file of the repository and name it.',
  },
});
