import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KraftError, silentLog } from '../../src/base/index.ts';
import { openDaemonClient, protocolHeader, requestMaxBytes, routes } from '../../src/daemon-client/index.ts';
import { createRemoteKraft } from '../../src/cli/remote-kraft.ts';
import { startServer, type RunningServer } from '../../src/daemon/index.ts';
import { FakeKraft, sampleEvent } from '../support/fake-kraft.ts';

interface Answered {
  readonly status: number;
  readonly payload: Record<string, unknown>;
}

let dir = '';
let kraft = new FakeKraft();
let stops = 0;
let server: RunningServer | null = null;

const socketPath = (): string => join(dir, 'kraft.sock');

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ks-'));
  kraft = new FakeKraft();
  stops = 0;
  // What an earlier daemon left when it was killed.
  writeFileSync(socketPath(), 'stale');
  server = await startServer({ kraft, socketPath: socketPath(), stop: () => (stops += 1), log: silentLog });
});
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

function ask(
  method: string,
  path: string,
  body: string | null = null,
  protocol: string | null = '1',
): Promise<Answered> {
  return new Promise((done, failed) => {
    const headers = protocol === null ? {} : { [protocolHeader]: protocol };
    const outgoing = request({ socketPath: socketPath(), method, path, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += String(chunk)));
      incoming.on('end', () =>
        done({ status: incoming.statusCode ?? 0, payload: JSON.parse(text) as Record<string, unknown> }),
      );
    });
    outgoing.on('error', failed);
    outgoing.end(body ?? undefined);
  });
}

const client = () => openDaemonClient({ socketPath: socketPath(), version: '9.9.9' });

describe('the daemon’s server', () => {
  it('replaces a stale socket file by one that its owner alone may use', () => {
    const found = statSync(socketPath());
    expect(found.isSocket()).toBe(true);
    expect(found.mode & 0o777).toBe(0o600);
  });

  it('has a route for every call of the facade that the command line makes', async () => {
    const remote = createRemoteKraft(client());
    const create = {
      title: 'T',
      description: '',
      repo: '/r',
      chain: null,
      harness: null,
      baseBranch: null,
      autostart: false,
    };
    await remote.createItem(create);
    await remote.startItem('abcd');
    await remote.pauseItem('abcd');
    await remote.resumeItem('abcd', { steer: 'mind the gap' });
    await remote.retryItem('abcd', { path: 'build.main', restart: false, steer: null });
    await remote.skipItem('abcd', { path: null, note: 'Looked at.' });
    await remote.archiveItem('abcd', { yes: true, logs: false });
    await remote.storage();
    await remote.showItem('abcd');
    await remote.listItems({ repo: '/r', includeAbandoned: true, includeArchived: true });
    await remote.events({ itemId: 'abcd', type: 'node_started', afterSeq: 3, limit: 7 });
    await remote.readLog({ itemId: 'abcd', sessionId: null, offset: 5, tailLines: null, waitMs: 10 });
    await remote.diff({ itemId: 'abcd', format: 'stat', ignoreWhitespace: true });
    await remote.board({ repo: '/r' });
    await remote.prompt('abcd');
    await remote.repos();
    await remote.doctor();
    await remote.abandonItem('abcd');
    expect(kraft.calls.filter(([name]) => name !== 'health')).toEqual([
      ['createItem', create],
      ['startItem', 'abcd'],
      ['pauseItem', 'abcd'],
      ['resumeItem', { id: 'abcd', steer: 'mind the gap' }],
      ['retryItem', { id: 'abcd', path: 'build.main', restart: false, steer: null }],
      ['skipItem', { id: 'abcd', path: null, note: 'Looked at.' }],
      ['archiveItem', { id: 'abcd', yes: true, logs: false }],
      ['storage', null],
      ['showItem', 'abcd'],
      ['listItems', { repo: '/r', includeAbandoned: true, includeArchived: true }],
      ['events', { itemId: 'abcd', type: 'node_started', afterSeq: 3, limit: 7 }],
      ['readLog', { itemId: 'abcd', sessionId: null, offset: 5, tailLines: null, waitMs: 10 }],
      ['diff', { itemId: 'abcd', format: 'stat', ignoreWhitespace: true }],
      ['board', { repo: '/r' }],
      ['prompt', 'abcd'],
      ['repos', null],
      ['doctor', null],
      ['abandonItem', 'abcd'],
    ]);
  });

  it('has a route for each answer to a gate and each change of a thread, with nothing at all for a worker', async () => {
    const remote = createRemoteKraft(client());
    const at = { itemId: 'abcd', gate: null };
    await remote.approveGate({ ...at, note: null });
    await remote.rejectGate({ ...at, gate: 'local_review', note: 'Again.', node: 'implementation' });
    await remote.reviewItem({ ...at, outcome: 'request_changes', body: 'Again.' });
    await remote.commentItem({ itemId: 'abcd', file: 'a b/ü.ts', line: 7, body: 'Why?' });
    await remote.replyThread({ threadId: 'thr2', body: 'Because.' });
    await remote.setThread({ threadId: 'thr2', status: 'resolved' });
    await remote.threads({ itemId: 'abcd', openOnly: true });
    expect(kraft.calls.filter(([name]) => name !== 'health')).toEqual([
      ['approveGate', { gate: null, note: null }],
      ['approveGate', 'abcd'],
      ['rejectGate', { gate: 'local_review', note: 'Again.', node: 'implementation' }],
      ['rejectGate', 'abcd'],
      ['reviewItem', { ...at, outcome: 'request_changes', body: 'Again.' }],
      ['commentItem', { itemId: 'abcd', file: 'a b/ü.ts', line: 7, body: 'Why?' }],
      ['replyThread', { threadId: 'thr2', body: 'Because.' }],
      ['setThread', { threadId: 'thr2', status: 'resolved' }],
      ['threads', { itemId: 'abcd', openOnly: true }],
    ]);
    for (const [path, body] of [
      ['/api/work-items/abcd/gates/-/approve', '{"note":null,"by":"agent"}'],
      ['/api/work-items/abcd/threads', '{"file":"a","line":"7","body":"x"}'],
      ['/api/threads/thr2/remove', null],
    ] as const) {
      expect((await ask('POST', path, body)).payload['code'], path).toBe('KRAFT_REQUEST_INVALID');
    }
    // A worker's calls have a channel of their own, which says who it is.
    expect((await ask('POST', '/api/work-items/abcd/progress', '{"task":1}')).status).toBe(400);
    expect(kraft.calls.some(([name]) => name.startsWith('worker'))).toBe(false);
  });

  it('hands a long poll what comes while it waits', async () => {
    const remote = createRemoteKraft(client());
    const waiting = remote.followEvents({ itemId: null, type: null, afterSeq: 0, waitMs: 10_000 });
    while (!kraft.calls.some(([name]) => name === 'followEvents')) await new Promise(setImmediate);
    kraft.rows = [sampleEvent(1)];
    kraft.news.emit('rows');
    expect(await waiting).toEqual([sampleEvent(1)]);
  });

  it('gives the error of the catalogue as it is, with others and details', async () => {
    await expect(createRemoteKraft(client()).showItem('zzz')).rejects.toMatchObject({
      code: 'KRAFT_ITEM_UNKNOWN',
      report: { details: { id: 'zzz' }, remedy: expect.stringContaining('kraft view list') as unknown },
    });
  });

  it('reports a fault of its own as a bug and goes on', async () => {
    const { status, payload } = await ask('GET', '/api/work-items/abcd/plan');
    expect({ status, code: payload['code'], outcome: payload['outcome'] }).toEqual({
      status: 500,
      code: 'KRAFT_BUG',
      outcome: 'error',
    });
    expect((await ask('GET', '/api/health')).status).toBe(200);
  });

  it.each([
    { method: 'GET', path: '/api/nothing', body: null, code: 'KRAFT_ROUTE_UNKNOWN' },
    { method: 'DELETE', path: '/api/work-items', body: null, code: 'KRAFT_ROUTE_UNKNOWN' },
    { method: 'GET', path: '/api/work-items/%E0%A4%A', body: null, code: 'KRAFT_ROUTE_UNKNOWN' },
    { method: 'POST', path: '/api/work-items', body: '{', code: 'KRAFT_REQUEST_INVALID' },
    { method: 'POST', path: '/api/work-items', body: '{"title":"T"}', code: 'KRAFT_REQUEST_INVALID' },
    { method: 'POST', path: '/api/work-items/abcd/explode', body: null, code: 'KRAFT_REQUEST_INVALID' },
    { method: 'GET', path: '/api/events?limit=0x1', body: null, code: 'KRAFT_REQUEST_INVALID' },
    { method: 'GET', path: '/api/events?waitMs=99999999', body: null, code: 'KRAFT_REQUEST_INVALID' },
    { method: 'GET', path: '/api/work-items/abcd/diff?format=binary', body: null, code: 'KRAFT_REQUEST_INVALID' },
  ])('refuses $method $path with $code', async ({ method, path, body, code }) => {
    const { status, payload } = await ask(method, path, body);
    expect(status).toBe(400);
    expect(payload).toMatchObject({ outcome: 'error', code });
  });

  it('reads no body beyond its bound', async () => {
    const { status, payload } = await ask('POST', '/api/work-items', 'x'.repeat(requestMaxBytes + 1));
    expect({ status, code: payload['code'] }).toEqual({ status: 400, code: 'KRAFT_REQUEST_TOO_LARGE' });
  });

  it('survives what is no HTTP', async () => {
    await new Promise((done) => {
      const socket = connect(socketPath(), () => socket.end('\u0000\u0001nonsense\r\n\r\n'));
      socket.on('close', done);
      socket.on('error', () => undefined);
      socket.resume();
    });
    expect((await ask('GET', '/api/health')).status).toBe(200);
  });

  it('answers health and stop alone to another protocol', async () => {
    expect((await ask('GET', '/api/health', null, '2')).status).toBe(200);
    for (const protocol of ['2', null]) {
      const { status, payload } = await ask('GET', '/api/work-items', null, protocol);
      expect({ status, code: payload['code'] }).toEqual({ status: 503, code: 'KRAFT_PROTOCOL_DIFFERS' });
    }
    expect(kraft.calls.map(([name]) => name)).not.toContain('listItems');
    expect((await ask('POST', '/api/stop', null, '2')).status).toBe(200);
  });

  it('stops after its answer, and pauses first only when asked to', async () => {
    kraft.sessions = 3;
    expect((await ask('POST', '/api/stop')).payload).toEqual({ pid: process.pid, paused: 0, leftRunning: 3 });
    expect((await ask('POST', '/api/stop', '{"pause":true}')).payload).toMatchObject({ paused: 2 });
    expect(kraft.calls.filter(([name]) => name === 'pauseAll')).toHaveLength(1);
    expect(stops).toBe(2);
  });

  it('names every route once', () => {
    const names = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the daemon’s client', () => {
  it('sends nothing but health to a daemon of another protocol, and names both versions and the remedy', async () => {
    kraft.protocol = 2;
    const error = await createRemoteKraft(client())
      .listItems({ repo: null, includeAbandoned: false, includeArchived: false })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KraftError);
    expect(error).toMatchObject({ code: 'KRAFT_DAEMON_PROTOCOL' });
    expect((error as KraftError).message).toMatch(/9\.9\.9.*0\.0\.0-fake/);
    expect((error as KraftError).remedy).toContain('kraft admin stop && kraft admin start --detach');
    expect(kraft.calls.map(([name]) => name)).toEqual(['health']);
    await expect(client().send('stop')).resolves.toMatchObject({ pid: process.pid });
  });

  it('says that no daemon runs, for a missing socket and for one that nobody serves', async () => {
    await server?.[Symbol.asyncDispose]();
    server = null;
    await expect(client().send('items')).rejects.toMatchObject({ code: 'KRAFT_DAEMON_NOT_RUNNING' });
    expect(await client().findHealth()).toBeNull();
  });

  it('says what is wrong with a socket that answers something else', async () => {
    const other = join(dir, 'other.sock');
    const odd = createServer((socket) => {
      socket.resume();
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nodd');
    });
    await new Promise<void>((done) => odd.listen(other, done));
    const asking = openDaemonClient({ socketPath: other, version: '1' }).send('health');
    await expect(asking).rejects.toMatchObject({ code: 'KRAFT_DAEMON_UNREACHABLE' });
    await new Promise((done) => odd.close(done));
  });

  it('refuses a socket path that no system could bind (PF-R02)', () => {
    expect(() => openDaemonClient({ socketPath: `/${'x'.repeat(110)}`, version: '1' })).toThrow(
      expect.objectContaining({ code: 'KRAFT_SOCKET_PATH_TOO_LONG' }),
    );
  });
});
