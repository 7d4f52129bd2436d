import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../base/index.ts';
import { Control } from './control.ts';
import { relayErrors } from './errors.ts';
import { prepareSocketDir, removeSocketDir, socketNames, type SocketDir } from './socket-dir.ts';

/** Connections that wait for `serve`; more are closed. What they send stays in their own bounded buffers. */
const waitingMax = 16;
const backlog = 1024;
/** The relay, and one that comes back before the end of its former connection was seen. */
const controlMax = 4;

export interface ChannelOptions extends SocketDir {
  readonly log: Log;
}

/** The sockets of one relay on the host. Whoever comes in on them is the session that the relay was leased to. */
export interface Channel {
  readonly directory: string;
  readonly control: Control;
  /** Hands on every connection from now on, half-open ones allowed, with an error handler already attached. */
  serve(onConnection: (socket: Socket) => void): void;
  /** Ends every connection and removes the folder. Idempotent. */
  close(): Promise<void>;
  /** Ends every connection and takes the sockets away; the folder stays, since a running relay has it mounted. */
  suspend(): Promise<void>;
}

/** Opens a relay's sockets, at the same path as before. Errors: CHANNEL_*. */
export async function openChannel(options: ChannelOptions): Promise<Channel> {
  const channel = new OpenChannel(options, prepareSocketDir(options));
  await channel.open();
  return channel;
}

class OpenChannel implements Channel {
  readonly directory: string;
  readonly control = new Control();
  readonly #options: ChannelOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  #onConnection: ((socket: Socket) => void) | null = null;

  constructor(options: ChannelOptions, directory: string) {
    this.#options = options;
    this.directory = directory;
  }

  async open(): Promise<void> {
    try {
      await this.#listen(socketNames.data, (socket) => this.#accept(socket));
      const control = await this.#listen(socketNames.control, (socket) => this.control.accept(socket));
      control.maxConnections = controlMax;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  serve(onConnection: (socket: Socket) => void): void {
    this.#onConnection = onConnection;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const socket of waiting) if (!socket.destroyed) onConnection(socket);
  }

  async close(): Promise<void> {
    await this.suspend();
    removeSocketDir(this.#options.socketsDir, this.#options.relayId);
  }

  async suspend(): Promise<void> {
    const closed = this.#servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }

  #accept(socket: Socket): void {
    if (this.#onConnection !== null) {
      this.#onConnection(socket);
    } else if (this.#waiting.size >= waitingMax) {
      socket.destroy();
    } else {
      this.#waiting.add(socket);
      socket.once('close', () => this.#waiting.delete(socket));
    }
  }

  async #listen(name: string, onConnection: (socket: Socket) => void): Promise<Server> {
    const path = join(this.directory, name);
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      // Before anything else: an error without a handler would end the process (PF-R16).
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#sockets.add(socket);
      onConnection(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        reject(relayErrors.create('CHANNEL_NOT_OPENED', { path, why: error.code ?? error.message }, error)),
      );
      server.listen({ path, backlog }, resolve);
    });
    server.on('error', (error) => this.#options.log.warn(`socket ${path}: ${error.message}`));
    this.#servers.push(server);
    return server;
  }
}
