import { defineErrors } from '../base/index.ts';

export const relayErrors = defineErrors({
  CHANNEL_PATH_TOO_LONG: {
    kind: 'config',
    message: (p: { path: string; bytes: number; maxBytes: number }) =>
      `The socket path ${p.path} has ${p.bytes} bytes, and this system takes ${p.maxBytes} at most.`,
    remedy: (p: { bytes: number; maxBytes: number }) =>
      `Set KRAFT_HOME to a folder whose path is at least ${p.bytes - p.maxBytes} bytes shorter (or KRAFT_RUN_DIR, for what only lives while Kraft runs).`,
  },
  CHANNEL_FOLDER_UNSAFE: {
    kind: 'denied',
    message: (p: { path: string; why: string }) => `Kraft does not use ${p.path} for a session's socket: ${p.why}.`,
    remedy: (p: { path: string }) => `Look at ${p.path}, remove it, and start the session again.`,
  },
  CHANNEL_NOT_OPENED: {
    kind: 'environment',
    message: (p: { path: string; why: string }) => `The socket ${p.path} could not be opened: ${p.why}.`,
    remedy: () =>
      'Check that the folder is on a local file system that has sockets and is writable, then start the session again.',
  },
  CHANNEL_SELF_TEST_FAILED: {
    kind: 'environment',
    message: (p: { container: string; answer: string }) =>
      `The relay ${p.container} runs, but a request through it was not refused by Kraft as it must be: ${p.answer}. The worker was not started.`,
    remedy: () =>
      'Run `kraft admin images build`, then start the session again; `kraft admin doctor` makes the same request.',
  },
  RELAY_IMAGE_MISSING: {
    kind: 'environment',
    message: (p: { image: string; cli: string }) =>
      `The relay image ${p.image} is not on this machine, and a session under a network policy needs it.`,
    remedy: (p: { image: string; cli: string }) =>
      p.image.startsWith('localhost/')
        ? 'Run `kraft admin images build`; for an image of your own, build it under the name that `relay_image` in sandbox.yaml has.'
        : `Run \`${p.cli} pull ${p.image}\`, or take \`relay_image\` out of sandbox.yaml and run \`kraft admin images build\`.`,
  },
  RELAY_PROTOCOL_UNKNOWN: {
    kind: 'environment',
    message: (p: { image: string; found: string; known: string }) =>
      `The relay of ${p.image} speaks version ${p.found} of Kraft's relay protocol; this Kraft speaks ${p.known}.`,
    remedy: () => 'Run `kraft admin images build`, which builds the relay of this version.',
  },
  RELAY_IN_VM: {
    kind: 'environment',
    message: (p: { endpoint: string; why: string }) =>
      `The container engine at ${p.endpoint} runs in a virtual machine or elsewhere (${p.why}), and a relay there cannot reach a socket of this machine. The transport that crosses that border is not built yet.`,
    remedy: () =>
      'Use an engine of this machine (`cli` in sandbox.yaml), or take `network` out of the entry in repos.yaml to run without a network policy.',
  },
  RELAY_ENDED: {
    kind: 'environment',
    message: (p: { container: string; image: string; end: string }) =>
      `The relay ${p.container} (${p.image}) ended at once: ${p.end}.`,
    remedy: () =>
      'Run `kraft admin images build` to have Kraft’s own relay, and leave `relay_image` out of sandbox.yaml; an image of your own must hold `socat`.',
  },
  RELAY_SILENT: {
    kind: 'environment',
    message: (p: { container: string; directory: string; waitedMs: number }) =>
      `The relay ${p.container} runs, but it did not reach its socket in ${p.directory} within ${p.waitedMs / 1000} s.`,
    remedy: () =>
      'Where SELinux is on, it may deny the connection whatever the label of the folder: set `selinux: disable` in sandbox.yaml. Else see that the user of the container may open the folder (mode 0700, the owner is who runs Kraft).',
  },
  RELAY_LOST: {
    kind: 'environment',
    message: (p: { container: string; why: string }) =>
      `The relay ${p.container} is gone (${p.why}), and with it the session's only way out: the session was ended.`,
    remedy: () =>
      'Start it again with `kraft item retry`; if a relay ends again, `kraft admin doctor` shows what the engine says.',
  },
  RELAYS_CLOSED: {
    kind: 'environment',
    message: () => 'Kraft is shutting down and starts no relay any more.',
    remedy: () => 'Start it again with `kraft admin start`.',
  },
});
