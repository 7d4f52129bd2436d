import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, Socket, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/index.ts';
import {
  openEgressProxy,
  openResolver,
  proxyLimits,
  resolveEgressPolicy,
  type AskSystem,
  type DecisionRecord,
  type Dialer,
  type EgressProxy,
  type EgressProxyOptions,
  type KraftHost,
  type Lookup,
  type ProxyLimits,
  type Refusal,
  type Upstreams,
} from '../../../src/egress/index.ts';
import { connectRaw, RawClient } from './raw-client.ts';

/** An address that is public by its class; nothing is ever sent to it, since the dialer of the tests maps it. */
export const publicAddress = '93.184.215.14';
export const otherAddress = '93.184.215.15';

export interface Listening {
  readonly server: Server;
  readonly port: number;
  /** Connections so far, each with what it received. */
  readonly connections: RawClient[];
}

/** A server on loopback that hands each connection to `serve`. */
export async function listenRaw(serve: (connection: RawClient) => void = () => undefined): Promise<Listening> {
  const connections: RawClient[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const connection = new RawClient(socket);
    connections.push(connection);
    serve(connection);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const { socket } of connections) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, connections };
}

/** Carries what is dialled to servers on loopback; what it does not know refuses connections, and port 0 never answers. */
export class MappedDialer implements Dialer {
  /** `address:port` of every attempt. */
  readonly dialled: string[] = [];
  readonly sockets = new Set<Socket>();
  readonly #portOf: (key: string) => number;

  constructor(portOf: (key: string) => number) {
    this.#portOf = portOf;
  }

  connect({ address, port }: { address: string; port: number }, reading: Parameters<Dialer['connect']>[1]): Socket {
    const key = `${address}:${port}`;
    this.dialled.push(key);
    const to = { host: '127.0.0.1', port: this.#portOf(key), allowHalfOpen: true, noDelay: true };
    const socket = to.port === 0 ? new Socket() : connect(reading === null ? to : { ...to, onread: reading });
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }
}

/** A resolver that knows these names and no others. */
export function askTable(names: Readonly<Record<string, readonly string[]>>): AskSystem {
  return (name) => {
    const addresses = names[name];
    return Promise.resolve(
      addresses === undefined ? { kind: 'outage', code: 'ENOTFOUND' } : { kind: 'addresses', addresses },
    );
  };
}

export interface ProxyUnderTest {
  readonly proxy: EgressProxy;
  readonly path: string;
  readonly dialled: readonly string[];
  readonly refusals: Refusal[];
  readonly records: DecisionRecord[];
  /** Why each request was not understood. */
  readonly malformed: string[];
  /** Names that were asked of the resolver. */
  readonly asked: string[];
  open(): Promise<RawClient>;
}

export interface ProxySetup {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly ask?: AskSystem;
  readonly ports?: Readonly<Record<string, number>>;
  /** In place of one that knows `ports`. */
  readonly dialer?: MappedDialer;
  readonly own?: readonly string[];
  readonly kraft?: KraftHost;
  readonly upstreams?: Partial<Upstreams>;
  readonly limits?: Partial<ProxyLimits>;
  readonly onRefusal?: EgressProxyOptions['onRefusal'];
}

/** A session's proxy on a unix socket, as a channel serves it, with a resolver and a dialer that reach loopback alone. */
export async function openProxy(setup: ProxySetup): Promise<ProxyUnderTest> {
  const dialer = setup.dialer ?? new MappedDialer((address) => setup.ports?.[address] ?? 1);
  const refusals: Refusal[] = [];
  const records: DecisionRecord[] = [];
  const malformed: string[] = [];
  const asked: string[] = [];
  const known = setup.ask ?? askTable(setup.names ?? {});
  const ask = (name: string): Promise<Lookup> => {
    asked.push(name);
    return known(name);
  };
  const proxy = openEgressProxy({
    policy: resolveEgressPolicy({ phase: 'runtime', allow: setup.allow ?? [], deny: setup.deny ?? [] }),
    upstreams: { tunnel: null, absolute: null, bypass: [], ...setup.upstreams },
    resolver: openResolver({ ask, clock: systemClock, timeoutMs: 5_000 }),
    ownAddresses: () => new Set(setup.own ?? []),
    dialer,
    kraft: setup.kraft ?? null,
    onRefusal: (refusal) => {
      refusals.push(refusal);
      return setup.onRefusal?.(refusal) ?? Promise.resolve();
    },
    log: {
      append: (record) => {
        if ('malformed' in record) malformed.push(record.malformed);
        else records.push(record);
      },
      close: () => undefined,
    },
    limits: { ...proxyLimits, ...setup.limits },
    clock: systemClock,
  });
  const dir = mkdtempSync(join(tmpdir(), 'egress-'));
  const path = join(dir, 's');
  const server = createServer({ allowHalfOpen: true }, (socket) => proxy.accept(socket));
  server.listen(path);
  await once(server, 'listening');
  const clients: RawClient[] = [];
  onTestFinished(async () => {
    for (const socket of [...clients.map((client) => client.socket), ...dialer.sockets]) socket.destroy();
    server.close();
    await proxy.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const { dialled } = dialer;
  const open = async (): Promise<RawClient> => {
    const client = await connectRaw(path);
    clients.push(client);
    return client;
  };
  return { proxy, path, dialled, refusals, records, malformed, asked, open };
}

/** Waits on a condition with a deadline. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  while (!holds()) {
    if (signal.aborted) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
