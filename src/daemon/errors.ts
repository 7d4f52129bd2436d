import { defineErrors } from '../base/index.ts';

export const daemonErrors = defineErrors({
  DAEMON_RUNNING: {
    kind: 'environment',
    message: (p: { home: string; pid: number | null }) =>
      `A daemon already serves ${p.home}${p.pid === null ? '' : ` (pid ${p.pid})`}.`,
    remedy: () => 'Use it as it is, or stop it first with `kraft admin stop`.',
  },
  REQUEST_INVALID: {
    kind: 'usage',
    message: (p: { problem: string }) => `The daemon cannot read this request: ${p.problem}.`,
    remedy: () => 'Send the shape that `kraft --json` and the docs show, with the protocol header.',
  },
  REQUEST_TOO_LARGE: {
    kind: 'usage',
    message: (p: { maxBytes: number }) => `The request is larger than ${p.maxBytes} bytes.`,
    remedy: () => 'Shorten the description; long material belongs in the repository.',
  },
  ROUTE_UNKNOWN: {
    kind: 'usage',
    message: (p: { method: string; path: string }) => `The daemon has no route ${p.method} ${p.path}.`,
    remedy: () => 'Use a `kraft` of the same version as the daemon; `kraft admin health` shows it.',
  },
  PROTOCOL_DIFFERS: {
    kind: 'environment',
    message: (p: { sent: string; own: number }) =>
      `The request speaks protocol ${p.sent}, this daemon speaks protocol ${p.own}.`,
    remedy: () => 'Restart the daemon with the same version: `kraft admin stop && kraft admin start --detach`.',
  },
});
