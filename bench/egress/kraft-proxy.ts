// Kraft's proxy as a session has it: lists, judged addresses and the decision log; the dialer carries the public address
// that the name resolves to over to loopback, which the proxy itself never reaches.
import { createServer } from 'node:net';
import process from 'node:process';
import { systemClock } from '../../src/base/index.ts';
import {
  netDialer,
  openDecisionLog,
  openEgressProxy,
  openResolver,
  readOwnAddresses,
  resolveEgressPolicy,
} from '../../src/egress/index.ts';

const [originPort = '', logPath = ''] = process.argv.slice(2);
const proxy = openEgressProxy({
  policy: resolveEgressPolicy({
    phase: 'runtime',
    allow: ['origin.example', ...Array.from({ length: 50 }, (_, at) => `host-${at}.example`)],
    deny: Array.from({ length: 50 }, (_, at) => `*.denied-${at}.example`),
  }),
  upstreams: { tunnel: null, absolute: null, bypass: [] },
  resolver: openResolver({
    ask: () => Promise.resolve({ kind: 'addresses', addresses: ['93.184.215.14'] }),
    clock: systemClock,
    timeoutMs: 5_000,
  }),
  ownAddresses: readOwnAddresses(() => []),
  dialer: { connect: (_to, reading) => netDialer.connect({ address: '127.0.0.1', port: Number(originPort) }, reading) },
  kraft: null,
  onRefusal: () => Promise.resolve(),
  log: openDecisionLog(logPath),
  limits: null,
  clock: systemClock,
});
const server = createServer({ allowHalfOpen: true }, (socket) => proxy.accept(socket));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? (address?.port ?? 0) : 0}\n`);
});
