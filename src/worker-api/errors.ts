import { defineErrors } from '../base/index.ts';

export const workerApiErrors = defineErrors({
  WORKER_REQUEST_INVALID: {
    kind: 'usage',
    message: (p: { problem: string }) => `Kraft cannot read this request: ${p.problem}.`,
    remedy: () => 'Use the `kraft` command of the container; without arguments it prints its verbs.',
  },
  WORKER_REQUEST_TOO_LARGE: {
    kind: 'usage',
    message: (p: { maxBytes: number }) => `The request is larger than ${p.maxBytes} bytes.`,
    remedy: () => 'Say it more shortly; what is long belongs into the worktree.',
  },
  SHIM_VERSION_DIFFERS: {
    kind: 'usage',
    message: (p: { sent: string; own: number }) =>
      `The container’s \`kraft\` speaks version ${p.sent}, and Kraft speaks version ${p.own}.`,
    remedy: () => 'Go on without it: the next session of the item gets the one that fits.',
  },
  WORKER_CALL_SLOW: {
    kind: 'environment',
    message: (p: { seconds: number }) => `Kraft did not get to this within ${p.seconds} seconds.`,
    remedy: () => 'It may have been done all the same: look with `kraft view show`, then ask again.',
  },
  WORKER_CALLS_CROWDED: {
    kind: 'limit',
    message: (p: { waiting: number }) => `${p.waiting} calls of this session wait already.`,
    remedy: () => 'Wait for their answers before you ask more.',
  },
  WORKER_CALL_FAILED: {
    kind: 'environment',
    message: (p: { code: string }) => `Kraft could not do that, for a reason of its host (${p.code}).`,
    remedy: () => 'Go on with the work and name it in your result; a person sees the reason in Kraft’s log.',
  },
});
