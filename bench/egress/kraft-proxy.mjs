// Kraft's proxy as a session has it, of the built package: lists, judged addresses and the decision log. Its dialer carries
// the public address that the name resolves to over to loopback, which the proxy itself never reaches.
import { createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [originPort = '', dist = '', logPath = ''] = process.argv.slice(2);
const load = (folder) => import(pathToFileURL(path.join(dist, folder, 'index.js')).href);
const { systemClock } = await load('base');
const egress = await load('egress');

const proxy = egress.openEgressProxy({
  policy: egress.resolveEgressPolicy({
    phase: 'runtime',
    allow: ['origin.example', ...Array.from({ length: 50 }, (_, at) => `host-${at}.example`)],
    deny: Array.from({ length: 50 }, (_, at) => `*.denied-${at}.example`),
  }),
  upstreams: { tunnel: null, absolute: null, bypass: [] },
  resolver: egress.openResolver({
    ask: () => Promise.resolve({ kind: 'addresses', addresses: ['93.184.215.14'] }),
    clock: systemClock,
    timeoutMs: 5_000,
  }),
  ownAddresses: egress.readOwnAddresses(() => []),
  dialer: {
    connect: (_to, reading) => egress.netDialer.connect({ address: '127.0.0.1', port: Number(originPort) }, reading),
  },
  kraft: null,
  onRefusal: () => Promise.resolve(),
  log: egress.openDecisionLog(logPath),
  // Thousands of tunnels a second on a crowded machine wait for the origin's end; that bound is not what is measured.
  limits: { ...egress.proxyLimits, tunnels: 4096, connections: 8192 },
  clock: systemClock,
});
const server = createServer({ allowHalfOpen: true }, (socket) => proxy.accept(socket));
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => process.stdout.write(`${server.address().port}\n`));
