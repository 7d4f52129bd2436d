import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import { readEgressLog } from '../../src/egress/index.ts';
import type { EgressRefusal } from '../../src/events/index.ts';
import {
  openRoutes,
  type RouteOwner,
  type RouteRequest,
  type Routes,
  type RouteServing,
} from '../../src/launch/index.ts';
import { relayImage, relayProtocolLabel, type KnownEngineFacts } from '../../src/runtime/index.ts';
import { fakeFacts, FakeEngine } from '../support/fake-engine.ts';

let engine: FakeEngine;
let home = '';
let env: Record<string, string> = {};
const opened: Routes[] = [];
let recorded: (readonly [RouteOwner, EgressRefusal])[] = [];

const serving: RouteServing = {
  kraft: ({ sessionId }) => ({
    answer: () => Promise.resolve({ kind: 'answer', status: 200, contentType: 'text/plain', body: sessionId }),
  }),
  record: (owner, payload) => {
    recorded.push([owner, payload]);
    return Promise.resolve();
  },
};

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kr-'));
  mkdirSync(join(home, 'run/egress'), { recursive: true });
  engine = new FakeEngine();
  engine.addImage(relayImage, { labels: { [relayProtocolLabel]: '1' } });
  engine.entrypoints.set(relayImage, [
    process.execPath,
    resolve(import.meta.dirname, '../support/fake-relay.ts'),
    'well',
  ]);
  env = {};
  recorded = [];
});
afterEach(async () => {
  for (const routes of opened.splice(0)) await routes[Symbol.asyncDispose]();
  engine.close();
  rmSync(home, { recursive: true, force: true });
});

function open(how: { readonly serving: RouteServing | null } = { serving }): Routes {
  const routes = openRoutes({
    paths: { home, config: join(home, 'config'), run: join(home, 'run') },
    env: (name) => env[name],
    loadSandbox: () =>
      Promise.resolve({ cli: null, selinux: 'auto', caBundle: null, relayImage: null, credentials: {} } as const),
    clock: systemClock,
    log: silentLog,
    serving: how.serving,
  });
  opened.push(routes);
  return routes;
}

function request(allow: readonly string[] = []): RouteRequest {
  return {
    itemId: 'abc',
    sessionId: 's1',
    lists: { phase: 'runtime', allow, deny: [] },
    decisionLog: join(home, 'run/egress/s1.jsonl'),
    engine,
    facts: fakeFacts as KnownEngineFacts,
    user: { user: null, userNamespace: null },
    selinux: null,
  };
}

/** What a worker behind that relay gets. */
async function ask(relay: string, line: string): Promise<string> {
  const client = connect(join(home, 'run/sn', relay, 's.sock'));
  client.write(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  return text(client);
}

const containers = async (): Promise<readonly string[]> =>
  (await engine.listContainers({ key: 'kraft.home', value: home })).map(({ name }) => name);

describe('a route', () => {
  it('answers on its own relay as its session, and names the container to join', async () => {
    const { route, joins } = await open().open(request());
    expect(joins).toEqual({ network: `container:kraft-relay-${route.relay}`, userNamespace: null });
    expect(await ask(route.relay, 'GET http://kraft/w/show HTTP/1.1')).toMatch(/\r\n\r\ns1$/);
    const folder = join(home, 'run/sn', route.relay);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('refuses by its lists, records that once a host, and sums it up when it is closed', async () => {
    const { route } = await open().open(request());
    const asked = (): Promise<string> => ask(route.relay, 'CONNECT a.example.com:443 HTTP/1.1');
    expect([await asked(), await asked()]).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 403/),
      expect.stringMatching(/^HTTP\/1\.1 403/),
    ]);
    expect(recorded).toMatchObject([[{ itemId: 'abc' }, { session_id: 's1', host: 'a.example.com', port: 443 }]]);
    const lines = await route.close();
    expect(lines.join('\n')).toContain('a.example.com:443');
    expect(lines.join('\n')).toContain('kraft repo allow a.example.com:443');
    const { hosts } = await readEgressLog(request().decisionLog);
    // The self test before it is nobody's request.
    expect(hosts).toMatchObject([{ host: 'a.example.com', asked: 2, refused: 2 }]);
  });

  it('is gone once it is closed and released, its sockets and its container with it', async () => {
    const routes = open();
    const { route } = await routes.open(request());
    await route.close();
    route.release();
    await routes[Symbol.asyncDispose]();
    expect(await containers()).toEqual([]);
    expect(readdirSync(join(home, 'run/sn'))).toEqual([]);
  });

  it('is opened again by the next daemon, under the lists that it is given and on the same relay', async () => {
    const first = open();
    const { relay } = (await first.open(request())).route;
    await first[Symbol.asyncDispose]();
    expect(await containers()).toContain(`kraft-relay-${relay}`);
    const { itemId, sessionId, lists, decisionLog } = request();
    const route = await open().adopt({ itemId, sessionId, lists, decisionLog, engine, relay });
    expect(route.relay).toBe(relay);
    expect(await ask(relay, 'GET http://kraft/w/show HTTP/1.1')).toMatch(/\r\n\r\ns1$/);
  });

  it('is not opened again when its relay is gone', async () => {
    const { itemId, sessionId, lists, decisionLog } = request();
    const again = open().adopt({ itemId, sessionId, lists, decisionLog, engine, relay: 'gone' });
    await expect(again).rejects.toMatchObject({ code: 'KRAFT_RELAY_LOST' });
  });

  it('is opened by a daemon alone', async () => {
    await expect(open({ serving: null }).open(request())).rejects.toMatchObject({ code: 'KRAFT_ROUTE_NOT_SERVED' });
    expect(await containers()).toEqual([]);
  });

  it('is not opened, and no relay started, on lists that cannot be read', async () => {
    await expect(open().open(request(['10.0.0.0/8']))).rejects.toMatchObject({ code: 'KRAFT_EGRESS_LISTS_UNREADABLE' });
    expect(await containers()).toEqual([]);
  });

  it('is refused before anything is made while the proxy of this machine cannot be used', async () => {
    env['HTTPS_PROXY'] = 'socks5://127.0.0.1:1080';
    await expect(open().preflight(request())).rejects.toMatchObject({ code: 'KRAFT_UPSTREAM_PROXY_UNUSABLE' });
  });

  it('is refused before anything is made while the relay’s image is not here', async () => {
    engine.images.clear();
    await expect(open().preflight(request())).rejects.toMatchObject({ code: 'KRAFT_RELAY_IMAGE_MISSING' });
  });
});

describe('the probe of a route', () => {
  it('shows by a real relay that a request is refused, in any process, and leaves nothing', async () => {
    await open({ serving: null }).probe(request());
    expect(await containers()).toEqual([]);
    expect(readdirSync(join(home, 'run/sn'))).toEqual([]);
    expect(existsSync(request().decisionLog)).toBe(false);
  });
});

describe('sweeping', () => {
  it('removes the relays of an earlier daemon that no session took over', async () => {
    const first = open();
    const { relay } = (await first.open(request())).route;
    await first[Symbol.asyncDispose]();
    const swept = await open().sweep(engine);
    expect(swept.removed).toEqual(expect.arrayContaining([`kraft-relay-${relay}`]));
    expect(await containers()).toEqual([]);
  });
});
