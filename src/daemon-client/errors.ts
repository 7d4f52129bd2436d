import { defineErrors } from '../base/index.ts';

export const daemonClientErrors = defineErrors({
  DAEMON_NOT_RUNNING: {
    kind: 'environment',
    message: (p: { socket: string }) => `No Kraft daemon answers on ${p.socket}.`,
    remedy: () => 'Start it with `kraft admin start --detach`.',
  },
  DAEMON_UNREACHABLE: {
    kind: 'environment',
    message: (p: { socket: string; why: string }) => `The Kraft daemon on ${p.socket} could not be asked: ${p.why}.`,
    remedy: () => 'Look at its log, `run/logs/server.log` in the Kraft home, and see `kraft admin health`.',
  },
  DAEMON_PROTOCOL: {
    kind: 'environment',
    message: (p: { client: string; clientProtocol: number; daemon: string; daemonProtocol: number }) =>
      `This kraft is version ${p.client} (protocol ${p.clientProtocol}), but the running daemon is version ${p.daemon} (protocol ${p.daemonProtocol}).`,
    remedy: () =>
      'Restart the daemon with this version: `kraft admin stop && kraft admin start --detach`. Running sessions go on and are adopted.',
  },
  SOCKET_PATH_TOO_LONG: {
    kind: 'environment',
    message: (p: { socket: string; bytes: number; maxBytes: number }) =>
      `The socket path ${p.socket} takes ${p.bytes} bytes; the system allows ${p.maxBytes}.`,
    remedy: () => 'Set KRAFT_RUN_DIR to a directory with a shorter path.',
  },
});
