import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { randomHex16 } from '../base/index.ts';
import { relayProtocol } from './plan.ts';

const lineMaxBytes = 128;

/** What Kraft and its own relay say to each other: `images/relay/README.md`. Whoever speaks it wrong is hung up on. */
export class Control {
  /** Resolves when the relay says that it listens, with the version that it speaks. Never rejects. */
  readonly greeted: Promise<string>;
  /** Called each time that the relay's connection ends. */
  onHangUp: () => void = () => undefined;
  readonly #greet: (version: string) => void;
  readonly #asked = new Map<string, (status: number | null) => void>();
  #socket: Socket | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor() {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.greeted = promise;
    this.#greet = resolve;
  }

  /** Whether the relay is connected now. */
  get connected(): boolean {
    return this.#socket !== null;
  }

  accept(socket: Socket): void {
    socket.on('error', () => undefined);
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      const understood = lines.every((line) => this.#hear(socket, line));
      if (!understood || rest.length > lineMaxBytes) socket.destroy();
    });
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      if (this.#socket === socket) this.#hangUp();
    });
  }

  /** The status of the answer to a request that the relay makes through its own port; null when there is none in time. */
  async probe(timeoutMs: number): Promise<number | null> {
    const next = this.#turn.then(() => this.#probe(timeoutMs));
    this.#turn = next;
    return await next;
  }

  async #probe(timeoutMs: number): Promise<number | null> {
    if (this.#socket === null) return null;
    const nonce = randomHex16();
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.#asked.set(nonce, resolve);
    this.#socket.write(`probe ${nonce}\n`);
    const late = new AbortController();
    try {
      return await Promise.race([promise, delay(timeoutMs, null, { signal: late.signal })]);
    } finally {
      late.abort();
      this.#asked.delete(nonce);
    }
  }

  #hear(socket: Socket, line: string): boolean {
    if (socket !== this.#socket) return this.#hearGreeting(socket, line);
    const [, nonce = '', status = ''] = /^probe ([0-9a-f]{1,64}) (\d{1,3})$/u.exec(line) ?? [];
    // A status of 0 is the relay's word for no answer.
    this.#asked.get(nonce)?.(Number(status) || null);
    return nonce !== '';
  }

  #hearGreeting(socket: Socket, line: string): boolean {
    const version = /^kraft-relay (\d{1,4}) ready$/u.exec(line)?.[1];
    if (version === undefined) return false;
    this.#greet(version);
    if (version !== relayProtocol) return false;
    const former = this.#socket;
    this.#socket = socket;
    former?.destroy();
    return true;
  }

  #hangUp(): void {
    this.#socket = null;
    for (const resolve of this.#asked.values()) resolve(null);
    this.onHangUp();
  }
}
