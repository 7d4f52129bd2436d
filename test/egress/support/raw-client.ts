import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const deadlineMs = 15_000;

/** A client that writes bytes as they are told and keeps what comes, as latin-1. */
export class RawClient {
  readonly socket: Socket;
  received = '';
  /** Whether the other side has said its last. */
  ended = false;
  closed = false;
  readonly #waiters: (() => void)[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#change(() => (this.received += chunk.toString('latin1'))));
    socket.once('end', () => this.#change(() => (this.ended = true)));
    socket.once('close', () => this.#change(() => (this.closed = true)));
  }

  send(text: string | Buffer): this {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
    return this;
  }

  /** Waits until what was received matches. */
  async waitFor(wanted: RegExp): Promise<string> {
    await this.#until(() => wanted.test(this.received), String(wanted));
    return this.received;
  }

  /** Waits until the other side ended or broke off, and answers with all that came. */
  async waitForEnd(): Promise<string> {
    await this.#until(() => this.ended || this.closed, 'the end');
    return this.received;
  }

  async waitForClose(): Promise<void> {
    await this.#until(() => this.closed, 'the close');
  }

  #change(note: () => void): void {
    note();
    const waiters = this.#waiters.splice(0);
    for (const waiter of waiters) waiter();
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = { over: false };
    const timer = setTimeout(() => this.#change(() => (deadline.over = true)), deadlineMs);
    while (!holds() && !deadline.over) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    clearTimeout(timer);
    if (!holds()) throw new Error(`${what} did not come; so far: ${JSON.stringify(this.received.slice(0, 500))}`);
  }
}

export async function connectRaw(to: string | { readonly port: number }): Promise<RawClient> {
  const socket = connect(typeof to === 'string' ? { path: to, allowHalfOpen: true } : { ...to, allowHalfOpen: true });
  await once(socket, 'connect');
  return new RawClient(socket);
}
