import type { Socket } from 'node:net';
import { dialFirst, type DialOutcome } from './dial.ts';
import type { Exchange, Serving } from './exchange.ts';
import { Intake } from './intake.ts';

export interface ReachRequest extends DialOutcome {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether what is received goes to the client at once, or comes as `data` events. */
  readonly reading: 'carried' | 'events';
}

/** Dials for a client; when that one goes away meanwhile, the attempt ends too. */
export function reach(serving: Serving, exchange: Exchange, request: ReachRequest): void {
  const { client } = exchange;
  let intake: Intake | null = null;
  const open = (address: string): Socket => {
    intake = request.reading === 'carried' ? new Intake() : null;
    const socket = serving.dialer.connect({ address, port: request.port }, intake?.onread ?? null);
    serving.track(socket);
    return socket;
  };
  const connected = (origin: Socket): void => {
    client.off('close', cancel);
    intake?.carry(origin, client, exchange.countDown);
    request.connected(origin);
  };
  const { addresses } = request;
  const cancel = dialFirst(
    { open, addresses, timeoutMs: serving.limits.dialTimeoutMs },
    { connected, failed: request.failed },
  );
  client.on('close', cancel);
}
