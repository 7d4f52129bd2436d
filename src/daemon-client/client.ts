import type { ClientRequest, IncomingMessage } from 'node:http';
import { KraftError, hasCode } from '../base/index.ts';
import { daemonClientErrors } from './errors.ts';
import {
  answerMaxBytes,
  protocolHeader,
  protocolVersion,
  routes,
  routesForAnyProtocol,
  socketPathMaxBytes,
  type ErrorAnswer,
  type HealthHead,
  type RouteName,
} from './protocol.ts';

/** One request: the route's parameters, its query and its body. */
export interface DaemonRequest {
  readonly params: Readonly<Record<string, string>>;
  /** Null and undefined values are left out. */
  readonly query: Readonly<Record<string, string | number | boolean | null>>;
  /** Sent as JSON; null for no body. */
  readonly body: unknown;
  readonly timeoutMs: number;
  /** Ends the request early; null when nothing can. */
  readonly abort: AbortSignal | null;
}

/** The daemon of one home, as a program asks it. */
export interface DaemonClient {
  /**
   * Sends one request and answers the payload. Errors: DAEMON_NOT_RUNNING, DAEMON_UNREACHABLE, DAEMON_PROTOCOL (before
   * anything but `health` was sent), and whatever the daemon itself reports.
   */
  send<T>(route: RouteName, request?: Partial<DaemonRequest>): Promise<T>;
  /** The daemon's health, or null when none runs. */
  findHealth<T extends HealthHead>(): Promise<T | null>;
}

/** Opens no connection yet. `version` is the caller's own, for the message about differing versions. */
export function openDaemonClient(options: { readonly socketPath: string; readonly version: string }): DaemonClient {
  const { socketPath, version } = options;
  checkSocketPath(socketPath);
  let protocolChecked = false;

  async function checkProtocol(): Promise<void> {
    if (protocolChecked) return;
    const health = await exchange<HealthHead>(socketPath, 'health', {});
    if (health.protocol !== protocolVersion) {
      throw daemonClientErrors.create('DAEMON_PROTOCOL', {
        client: version,
        clientProtocol: protocolVersion,
        daemon: health.version,
        daemonProtocol: health.protocol,
      });
    }
    protocolChecked = true;
  }

  return {
    async send<T>(route: RouteName, request: Partial<DaemonRequest> = {}): Promise<T> {
      if (!routesForAnyProtocol.includes(route)) await checkProtocol();
      return exchange<T>(socketPath, route, request);
    },
    async findHealth<T extends HealthHead>(): Promise<T | null> {
      try {
        return await exchange<T>(socketPath, 'health', { timeoutMs: 10_000 });
      } catch (error) {
        if (hasCode(error, 'DAEMON_NOT_RUNNING')) return null;
        throw error;
      }
    },
  };
}

/** Errors: SOCKET_PATH_TOO_LONG for a path that no socket can be bound to (PF-R02). */
export function checkSocketPath(socketPath: string): void {
  const bytes = Buffer.byteLength(socketPath);
  if (bytes <= socketPathMaxBytes) return;
  throw daemonClientErrors.create('SOCKET_PATH_TOO_LONG', { socket: socketPath, bytes, maxBytes: socketPathMaxBytes });
}

async function exchange<T>(socketPath: string, route: RouteName, request: Partial<DaemonRequest>): Promise<T> {
  // Imported as a module, node:http costs ten times as much as through the built-in loader.
  const http = process.getBuiltinModule('node:http');
  const body = request.body === undefined || request.body === null ? null : JSON.stringify(request.body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing: ClientRequest = http.request({
    socketPath,
    method: routes[route].method,
    path: renderPath(route, request),
    agent: false,
    headers: {
      host: 'kraft',
      [protocolHeader]: String(protocolVersion),
      ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
    timeout: request.timeoutMs ?? 120_000,
    ...(request.abort === undefined || request.abort === null ? {} : { signal: request.abort }),
  });
  outgoing.once('timeout', () => outgoing.destroy(new Error('it did not answer in time')));
  outgoing.once('error', reject);
  outgoing.once('response', resolve);
  outgoing.end(body ?? undefined);
  try {
    const incoming = await promise;
    return readAnswer(incoming.statusCode ?? 0, await readText(incoming)) as T;
  } catch (error) {
    throw asClientError(error, socketPath, request.abort ?? null);
  }
}

/** Fills `:name` segments and appends the query. */
function renderPath(route: RouteName, request: Partial<DaemonRequest>): string {
  const path = routes[route].path.replaceAll(/:([a-z]+)/g, (_, name: string) =>
    encodeURIComponent(request.params?.[name] ?? ''),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) if (value !== null) query.set(name, String(value));
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > answerMaxBytes) {
      incoming.destroy();
      throw new TypeError(`its answer is larger than ${answerMaxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(status: number, text: string): unknown {
  const payload: unknown = JSON.parse(text);
  if (status >= 200 && status < 300) return payload;
  if (!isErrorAnswer(payload)) throw new TypeError(`it answered ${status} without an error that can be read`);
  const { code, kind, message, remedy, details, others } = payload;
  throw new KraftError({ code, kind, message, remedy, details, others }, undefined);
}

function isErrorAnswer(payload: unknown): payload is ErrorAnswer {
  return typeof payload === 'object' && payload !== null && 'outcome' in payload && payload.outcome === 'error';
}

function asClientError(error: unknown, socket: string, abort: AbortSignal | null): unknown {
  if (error instanceof KraftError || abort?.aborted === true) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return daemonClientErrors.create('DAEMON_NOT_RUNNING', { socket }, error);
  }
  const why =
    code === 'EACCES' || code === 'EPERM'
      ? 'this user may not use the socket'
      : error instanceof Error
        ? error.message
        : String(error);
  return daemonClientErrors.create('DAEMON_UNREACHABLE', { socket, why }, error);
}
