import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { chmod, rm } from 'node:fs/promises';
import { asKraftError, statusOfKind, type KraftError, type Log } from '../base/index.ts';
import type { Kraft } from '../compose/index.ts';
import {
  checkSocketPath,
  protocolHeader,
  protocolVersion,
  requestMaxBytes,
  routesForAnyProtocol,
  type ErrorAnswer,
} from '../daemon-client/index.ts';
import { answers, type AnswerContext } from './answer.ts';
import { daemonErrors } from './errors.ts';
import { matchRoute, readBody } from './request.ts';

/** The facade, served. Disposing ends the listening and every open connection and removes the socket file. */
export interface RunningServer extends AsyncDisposable {
  readonly socketPath: string;
}

export interface ServerOptions {
  readonly kraft: Kraft;
  /** Replaced when it exists: the caller holds the home's lock, so whatever lies there is stale. */
  readonly socketPath: string;
  /** Called when a client asks the daemon to end. */
  readonly stop: () => void;
  readonly log: Log;
}

/** Starts to serve on a unix socket of mode 0600. Errors: SOCKET_PATH_TOO_LONG. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { socketPath, log } = options;
  checkSocketPath(socketPath);
  // Imported as a module, node:http brings its whole WebSocket and fetch client along: 14 MiB that nothing here uses.
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16 * 1024 });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    void answerRequest(incoming, outgoing, options);
  });
  server.on('clientError', (_, socket) => socket.destroy());
  await rm(socketPath, { force: true });
  await listen(server, socketPath);
  await chmod(socketPath, 0o600);
  log.info(`serving on ${socketPath}`);
  return {
    socketPath,
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await rm(socketPath, { force: true });
    },
  };
}

async function listen(server: Server, socketPath: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The umask is 077 for the whole process; the directory is 0700 besides.
    server.listen(socketPath, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function answerRequest(incoming: IncomingMessage, outgoing: ServerResponse, options: ServerOptions) {
  // A client that went away in the middle is no fault of the daemon's.
  outgoing.on('error', () => undefined);
  const afterwards: (() => void)[] = [];
  const context: AnswerContext = { kraft: options.kraft, stop: () => afterwards.push(options.stop) };
  try {
    const payload = await route(incoming, context);
    write(outgoing, 200, payload);
  } catch (thrown) {
    const error = asKraftError(thrown);
    if (error.kind === 'bug') options.log.error(`${incoming.method ?? ''} ${incoming.url ?? ''}: ${error.message}`);
    // What is left of an oversized body is not read.
    if (!incoming.complete) outgoing.shouldKeepAlive = false;
    write(outgoing, statusOfKind[error.kind], errorAnswer(error));
  }
  if (afterwards.length === 0) return;
  const endDaemon = (): void => afterwards.forEach((run) => run());
  if (outgoing.writableFinished || outgoing.destroyed) endDaemon();
  else outgoing.once('close', endDaemon);
}

async function route(incoming: IncomingMessage, context: AnswerContext): Promise<unknown> {
  const matched = matchRoute(incoming.method ?? '', incoming.url ?? '');
  if (!routesForAnyProtocol.includes(matched.route)) checkProtocol(incoming);
  if (Number(incoming.headers['content-length'] ?? 0) > requestMaxBytes) {
    throw daemonErrors.create('REQUEST_TOO_LARGE', { maxBytes: requestMaxBytes });
  }
  return answers[matched.route]({ ...matched, body: await readBody(incoming) }, context);
}

function checkProtocol(incoming: IncomingMessage): void {
  const sent = incoming.headers[protocolHeader];
  if (sent === String(protocolVersion)) return;
  throw daemonErrors.create('PROTOCOL_DIFFERS', {
    sent: typeof sent === 'string' ? sent.slice(0, 20) : '(none)',
    own: protocolVersion,
  });
}

/** The body of an answer that is an error. */
export function errorAnswer(error: KraftError): ErrorAnswer {
  return { outcome: 'error', ...error.report };
}

function write(outgoing: ServerResponse, status: number, payload: unknown): void {
  if (outgoing.destroyed || outgoing.headersSent) return;
  const body = Buffer.from(`${JSON.stringify(payload)}\n`);
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  outgoing.end(body);
}
