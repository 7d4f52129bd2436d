import type { ErrorReport } from '../base/index.ts';

/**
 * The words that the command line and the daemon exchange on `run/kraft.sock`: HTTP/1.1, JSON bodies, routes of CC 8.2.
 * `protocol` changes whenever a request or answer changes shape; another number answers `health` and `stop` alone,
 * whose answers therefore only ever gain fields.
 */
export const protocolVersion = 1;

/** Header that carries the client's protocol number. */
export const protocolHeader = 'x-kraft-protocol';

export const socketName = 'kraft.sock';

/** Longest socket path in bytes that every supported system binds (104 with the final NUL on macOS, 108 on Linux). */
export const socketPathMaxBytes = 103;

/** Longest wait of one long poll in milliseconds; a follower asks again. */
export const waitMaxMs = 30_000;

/** Largest request body that the daemon reads. */
export const requestMaxBytes = 1024 * 1024;

/** Largest answer that a client reads. */
export const answerMaxBytes = 64 * 1024 * 1024;

export const routes = {
  health: { method: 'GET', path: '/api/health' },
  stop: { method: 'POST', path: '/api/stop' },
  items: { method: 'GET', path: '/api/work-items' },
  createItem: { method: 'POST', path: '/api/work-items' },
  item: { method: 'GET', path: '/api/work-items/:id' },
  board: { method: 'GET', path: '/api/board' },
  itemEvents: { method: 'GET', path: '/api/work-items/:id/events' },
  events: { method: 'GET', path: '/api/events' },
  itemLog: { method: 'GET', path: '/api/work-items/:id/log' },
  itemDiff: { method: 'GET', path: '/api/work-items/:id/diff' },
  itemEgress: { method: 'GET', path: '/api/work-items/:id/egress' },
  itemPrompt: { method: 'GET', path: '/api/work-items/:id/prompt' },
  itemPlan: { method: 'GET', path: '/api/work-items/:id/plan' },
  /** answer: approve, reject, review; `gate` is its id, or `-` for the one that the item waits at. */
  itemGate: { method: 'POST', path: '/api/work-items/:id/gates/:gate/:answer' },
  itemThreads: { method: 'GET', path: '/api/work-items/:id/threads' },
  itemComment: { method: 'POST', path: '/api/work-items/:id/threads' },
  threadReply: { method: 'POST', path: '/api/threads/:thread/replies' },
  /** change: resolve, reopen. */
  threadChange: { method: 'POST', path: '/api/threads/:thread/:change' },
  /** verb: start, pause, resume, retry, skip, abandon, archive. */
  itemVerb: { method: 'POST', path: '/api/work-items/:id/:verb' },
  storage: { method: 'GET', path: '/api/storage' },
  repos: { method: 'GET', path: '/api/repos' },
  doctor: { method: 'POST', path: '/api/doctor' },
} as const;

export type RouteName = keyof typeof routes;

/** Routes that are answered whatever protocol the client speaks. */
export const routesForAnyProtocol: readonly RouteName[] = ['health', 'stop'];

/** Body of every answer that is not 2xx: what `--json` prints too. */
export interface ErrorAnswer extends ErrorReport {
  readonly outcome: 'error';
}

/** Body of `POST /api/stop`. */
export interface StopRequest {
  /** Pause every running item first; otherwise sessions go on for the next daemon to adopt. */
  readonly pause: boolean;
}

/** Its answer, sent before the daemon ends. */
export interface StopAnswer {
  readonly pid: number;
  /** Sessions that go on without the daemon. */
  readonly leftRunning: number;
  /** Items that were paused, with `pause`. */
  readonly paused: number;
}

/** What of the health answer every version can read. */
export interface HealthHead {
  readonly version: string;
  readonly protocol: number;
  readonly pid: number;
}
