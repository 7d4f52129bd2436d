/**
 * The words that the command line and the daemon exchange on `run/kraft.sock`: HTTP/1.1, JSON bodies, routes of CC 8.2.
 * `protocol` changes whenever a request or answer changes shape; another number answers `health` and `stop` alone.
 */
export const protocolVersion = 1;

/** Header that carries the client's protocol number. */
export const protocolHeader = 'x-kraft-protocol';

export const socketName = 'kraft.sock';

export const routes = {
  health: { method: 'GET', path: '/api/health' },
  stop: { method: 'POST', path: '/api/stop' },
  items: { method: 'GET', path: '/api/work-items' },
  createItem: { method: 'POST', path: '/api/work-items' },
  item: { method: 'GET', path: '/api/work-items/:id' },
  itemEvents: { method: 'GET', path: '/api/work-items/:id/events' },
  events: { method: 'GET', path: '/api/events' },
  itemLog: { method: 'GET', path: '/api/work-items/:id/log' },
  itemDiff: { method: 'GET', path: '/api/work-items/:id/diff' },
  itemPrompt: { method: 'GET', path: '/api/work-items/:id/prompt' },
  itemPlan: { method: 'GET', path: '/api/work-items/:id/plan' },
  /** verb: start, pause, resume, retry, abandon. */
  itemVerb: { method: 'POST', path: '/api/work-items/:id/:verb' },
  repos: { method: 'GET', path: '/api/repos' },
  doctor: { method: 'POST', path: '/api/doctor' },
} as const;
