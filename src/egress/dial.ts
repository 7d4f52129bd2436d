import { connect, type OnReadOpts, type Socket } from 'node:net';

/** Opens connections to addresses that were checked, and to the machine's own upstream proxy. */
export interface Dialer {
  /**
   * A socket on its way: half-open allowed, without delay of small writes. `reading` says where it reads to; null for
   * `data` events.
   */
  connect(to: { readonly address: string; readonly port: number }, reading: OnReadOpts | null): Socket;
}

export const netDialer: Dialer = {
  connect: ({ address, port }, reading) =>
    connect({
      host: address,
      port,
      allowHalfOpen: true,
      noDelay: true,
      ...(reading === null ? {} : { onread: reading }),
    }),
};

export interface DialRequest {
  /** One attempt, to the given address. */
  readonly open: (address: string) => Socket;
  readonly addresses: readonly string[];
  /** For each address. */
  readonly timeoutMs: number;
}

export interface DialOutcome {
  /** Called in the same turn as the connection came about, before anything was read. */
  readonly connected: (socket: Socket) => void;
  /** The kernel's word on the last address. */
  readonly failed: (code: string) => void;
}

/** Dials the addresses in order until one answers (SI 4.6). What it answers ends the attempt without an outcome. */
export function dialFirst(request: DialRequest, outcome: DialOutcome): () => void {
  let current: Socket | null = null;
  let cancelled = false;
  const attempt = (index: number): void => {
    const socket = request.open(request.addresses[index] ?? '');
    current = socket;
    let code = 'ECONNABORTED';
    const late = setTimeout(() => {
      code = 'ETIMEDOUT';
      socket.destroy();
    }, request.timeoutMs);
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? error.message));
    const failed = (): void => {
      clearTimeout(late);
      if (cancelled) return;
      if (index + 1 < request.addresses.length) attempt(index + 1);
      else outcome.failed(code);
    };
    socket.on('close', failed);
    socket.on('connect', () => {
      clearTimeout(late);
      socket.off('close', failed);
      current = null;
      if (cancelled) socket.destroy();
      else outcome.connected(socket);
    });
  };
  attempt(0);
  return () => {
    cancelled = true;
    current?.destroy();
  };
}
