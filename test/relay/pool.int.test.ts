import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Log } from '../../src/base/index.ts';
import { openRelays, relayTiming, type RelayNeed, type Relays, type RelayTiming } from '../../src/relay/index.ts';
import { relayProtocolLabel, type KnownEngineFacts } from '../../src/runtime/index.ts';
import { fakeFacts, FakeEngine } from '../support/fake-engine.ts';

const image = 'localhost/kraft-relay:latest';
const home = '/kraft-pool-test';
const script = resolve(import.meta.dirname, '../support/fake-relay.ts');
const quick: RelayTiming = { ...relayTiming, readyMs: 5_000, lookMs: 50, selfTestMs: 5_000, refillMs: 0 };

let engine: FakeEngine;
let socketsDir = '';
let warnings: string[] = [];
const opened: Relays[] = [];
/** Processes start late on a busy machine. */
const poll = <T>(ask: () => T) => expect.poll(ask, { timeout: 30_000 });

beforeEach(() => {
  engine = new FakeEngine();
  socketsDir = join(mkdtempSync(join(tmpdir(), 'kraft-sn-')), 'sn');
  warnings = [];
  makeImage('well');
});
afterEach(async () => {
  for (const relays of opened.splice(0)) await relays.close();
  engine.close();
  rmSync(join(socketsDir, '..'), { recursive: true, force: true });
});

/** An image whose relay behaves as `mode` says. */
function makeImage(mode: 'well' | 'silent' | 'ends' | 'later-version', protocol = '1'): void {
  engine.addImage(image, { labels: { [relayProtocolLabel]: protocol } });
  engine.entrypoints.set(image, [process.execPath, script, mode]);
}

/** An image without a label, whose `socat` is the text of a shell; whether it listens is what `exec` says. */
function makeSocatImage(socat: string): void {
  engine.addImage(image);
  engine.programs.set('socat', ['sh', '-c', socat]);
}

function open(over: { readonly timing?: Partial<RelayTiming>; readonly size?: number } = {}): Relays {
  const note = (message: string): void => void warnings.push(message);
  const log: Log = { info: note, warn: note, error: note };
  const timing = { ...quick, ...over.timing };
  const relays = openRelays({ home, socketsDir, platform: 'linux', log, timing, size: over.size ?? 0 });
  opened.push(relays);
  return relays;
}

const need = (over: Partial<RelayNeed> = {}): RelayNeed => ({
  engine,
  facts: fakeFacts as KnownEngineFacts,
  image,
  user: { user: null, userNamespace: null },
  selinux: null,
  ...over,
});

const refuse = (socket: Socket): void => void socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
const containers = async (): Promise<string[]> =>
  (await engine.listContainers({ key: 'kraft.home', value: home })).map(({ name }) => name);
const folders = (): string[] => (existsSync(socketsDir) ? readdirSync(socketsDir) : []);

/** What a worker of that relay gets when it dials out. */
async function dialOut(relay: string): Promise<string> {
  const client = connect(join(socketsDir, relay, 's.sock'));
  client.write('GET http://example.org/ HTTP/1.1\r\n\r\n');
  return await text(client);
}

describe('a relay that is taken', () => {
  it('has said that it listens, answers the self test through its own channel, and serves one session', async () => {
    const lease = await open().take(need());
    lease.serve(refuse);
    await lease.selfTest();
    expect(await containers()).toEqual([lease.container]);
    expect(lease.container).toBe(`kraft-relay-${lease.id}`);
    expect(await dialOut(lease.id)).toMatch(/^HTTP\/1.1 403/u);
    await lease.release();
    expect(await containers()).toEqual([]);
    expect(folders()).toEqual([]);
  });

  it.each([
    ['another status than a refusal', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'had status 200'],
    ['no answer', (socket: Socket) => void socket.destroy(), 'there was no answer'],
  ])('fails its self test on %s', async (_, answer, reason) => {
    const lease = await open({ timing: { selfTestMs: 300 } }).take(need());
    lease.serve(answer);
    await expect(lease.selfTest()).rejects.toMatchObject({
      code: 'KRAFT_CHANNEL_SELF_TEST_FAILED',
      message: expect.stringContaining(reason) as string,
    });
    await lease.release();
  });

  it('is said to be lost once its container does not run, with how it ended (PF-R09)', async () => {
    const lease = await open().take(need());
    await engine.killContainer(lease.container, 'SIGKILL');
    expect(await lease.lost).toBe('its exit code is 137');
    await lease.release();
  });
});

describe('a relay with socat', () => {
  it('is asked by a second socat in its container whether it listens, and for the self test', async () => {
    makeSocatImage('exec sleep 300');
    let asked = 0;
    const relays = open();
    engine.exec = async (container, argv, { input }) => {
      const done = { exitCode: 0, stderr: '', timedOut: false };
      if (argv.includes('-u')) return { ...done, exitCode: asked++ < 2 ? 1 : 0, stdout: '' };
      const client = connect(join(socketsDir, container.replace('kraft-relay-', ''), 's.sock'));
      client.write(input ?? '');
      return { ...done, stdout: await text(client) };
    };
    const lease = await relays.take(need());
    expect(asked).toBe(3);
    lease.serve(refuse);
    await lease.selfTest();
    await engine.killContainer(lease.container, 'SIGKILL');
    expect(await lease.lost).toBe('its exit code is 137');
    await lease.release();
  });
});

describe('a relay that cannot be had', () => {
  it.each([
    ['the image is not here', () => engine.images.clear(), 'RELAY_IMAGE_MISSING', 'kraft admin images build'],
    [
      'the image speaks a later protocol',
      () => makeImage('well', '2'),
      'RELAY_PROTOCOL_UNKNOWN',
      'kraft admin images build',
    ],
    ['the relay says a later version', () => makeImage('later-version'), 'RELAY_PROTOCOL_UNKNOWN', 'images build'],
    ['its process ends at once', () => makeImage('ends'), 'RELAY_ENDED', 'socat'],
    ['it reaches no socket (PF-R06)', () => makeImage('silent'), 'RELAY_SILENT', 'selinux'],
    ['an image without label holds no socat', () => makeSocatImage('exit 127'), 'RELAY_ENDED', 'socat'],
    ['the socat of an image never listens', () => makeSocatImage('exec sleep 300'), 'RELAY_SILENT', 'selinux'],
    ['the engine does not start it', () => (engine.onStart = () => 'no space left'), 'CONTAINER_NOT_STARTED', 'info'],
  ])('is an error with its remedy when %s, and nothing stays (SI-9.5 E9)', async (_, spoil, code, remedy) => {
    spoil();
    // Only what never comes is waited for; the rest has as long as a busy machine takes.
    const relays = open(code === 'RELAY_SILENT' ? { timing: { readyMs: 400 } } : {});
    await expect(relays.take(need())).rejects.toMatchObject({
      code: `KRAFT_${code}`,
      remedy: expect.stringContaining(remedy) as string,
    });
    expect(await containers()).toEqual([]);
    expect(folders()).toEqual([]);
  });

  it('names the pull of an image that is nobody’s here', async () => {
    const missing = need({ image: 'docker.io/alpine/socat:1.8' });
    await expect(open().check(missing)).rejects.toMatchObject({
      remedy: expect.stringContaining('docker pull docker.io/alpine/socat:1.8') as string,
    });
  });

  it('is refused before anything starts on an engine in a virtual machine, with that reason (SI-9.5 E6)', async () => {
    const remote = { endpoint: 'unix:///x', why: 'it is Docker Desktop, a virtual machine' };
    const inVm = need({ facts: { ...(fakeFacts as KnownEngineFacts), remote } });
    const refused = { code: 'KRAFT_RELAY_IN_VM', message: expect.stringContaining('Docker Desktop') as string };
    await expect(open().check(inVm)).rejects.toMatchObject(refused);
    await expect(open().take(inVm)).rejects.toMatchObject(refused);
    expect(engine.specs).toEqual([]);
  });
});

describe('the relays that are kept ready', () => {
  it('start with the first launch, are handed out without a start, and are made up for', async () => {
    const relays = open({ size: 2 });
    expect(await containers()).toEqual([]);
    const first = await relays.take(need());
    await poll(containers).toHaveLength(3);
    const ready = (await containers()).filter((name) => name !== first.container);
    const [second, third] = await Promise.all([relays.take(need()), relays.take(need())]);
    expect([second.container, third.container].toSorted()).toEqual(ready.toSorted());
    await poll(containers).toHaveLength(5);
  });

  it('are never given to two sessions, nor to one after another', async () => {
    const relays = open({ size: 2 });
    const leases = await Promise.all(Array.from({ length: 6 }, () => relays.take(need())));
    expect(new Set(leases.map(({ id }) => id)).size).toBe(6);
    await Promise.all(leases.map((lease) => lease.release()));
    const next = await relays.take(need());
    expect(leases.map(({ id }) => id)).not.toContain(next.id);
  });

  it('are apart for needs that differ, and at most two kinds are kept', async () => {
    const relays = open({ size: 1 });
    for (const user of ['1:1', '2:2', '3:3']) await relays.take(need({ user: { user, userNamespace: null } }));
    await poll(async () => (await containers()).length).toBe(3 + 2);
    const users = engine.specs.slice(-2).map((spec) => spec.user);
    expect(users).not.toContain('1:1');
  });

  it('go when no launch comes for a while', async () => {
    const relays = open({ size: 2, timing: { idleMs: 300 } });
    const lease = await relays.take(need());
    await poll(() => engine.removed.length).toBe(2);
    await poll(containers).toEqual([lease.container]);
    await poll(folders).toEqual([lease.id]);
  });

  it('go when a new image of that name has made the next one ready', async () => {
    const relays = open({ size: 2 });
    await relays.take(need());
    await poll(containers).toHaveLength(3);
    const old = (await containers()).slice(1);
    makeImage('well');
    const last = await relays.take(need());
    expect(old).toContain(last.container);
    await poll(async () => (await containers()).filter((name) => old.includes(name))).toEqual([last.container]);
  });

  it('are replaced when one dies', async () => {
    const relays = open({ size: 1 });
    await relays.take(need());
    await poll(containers).toHaveLength(2);
    const [ready = ''] = (await containers()).slice(1);
    await engine.killContainer(ready, 'SIGKILL');
    await poll(containers).toHaveLength(1);
    expect((await relays.take(need())).container).not.toBe(ready);
  });

  it('leave a launch to start its own, and to hear why it cannot, when none could be made ready', async () => {
    const relays = open({ size: 1 });
    await relays.take(need());
    await poll(containers).toHaveLength(2);
    engine.onStart = () => 'no space left on device';
    await relays.take(need());
    await poll(() => warnings.join()).toContain('no space left on device');
    await expect(relays.take(need())).rejects.toMatchObject({ code: 'KRAFT_CONTAINER_NOT_STARTED' });
  });

  it('go when Kraft stops; those of sessions go on, and nothing is started any more', async () => {
    const relays = open({ size: 2 });
    const lease = await relays.take(need());
    await poll(containers).toHaveLength(3);
    await relays.close();
    expect(await containers()).toEqual([lease.container]);
    expect(folders()).toEqual([lease.id]);
    await expect(relays.take(need())).rejects.toMatchObject({ code: 'KRAFT_RELAYS_CLOSED' });
  });
});

describe('a daemon that comes back', () => {
  it('serves a running relay again, which was not restarted (PF-R11)', async () => {
    const before = open();
    const lease = await before.take(need());
    lease.serve(refuse);
    await lease.selfTest();
    const started = await engine.inspectContainer(lease.container);
    await before.close();
    const after = open();
    const adopted = await after.adopt({ engine, relay: lease.id });
    adopted.serve((socket) => socket.end('served again'));
    expect(await dialOut(lease.id)).toBe('served again');
    expect(await engine.inspectContainer(lease.container)).toEqual(started);
    adopted.serve(refuse);
    await poll(() => adopted.selfTest().then(() => 'answered', String)).toBe('answered');
    await engine.killContainer(lease.container, 'SIGKILL');
    expect(await adopted.lost).toBe('its exit code is 137');
    await adopted.release();
    expect(folders()).toEqual([]);
  });

  it.each([
    ['was removed', (name: string) => engine.removeContainer(name), 'its container was removed'],
    ['ended', (name: string) => engine.killContainer(name, 'SIGKILL'), 'its exit code is 137'],
  ])('is told that a relay is lost which %s meanwhile', async (_, end, why) => {
    const before = open();
    const lease = await before.take(need());
    await before.close();
    await end(lease.container);
    await expect
      .poll(() =>
        open()
          .adopt({ engine, relay: lease.id })
          .then(() => '', String),
      )
      .toContain(`is gone (${why})`);
  });

  it('sweeps relays and folders that nobody owns, and keeps those of sessions and its own (SI-9.5 E10)', async () => {
    const before = open();
    const [kept, left] = [await before.take(need()), await before.take(need())];
    await before.close();
    mkdirSync(join(socketsDir, 'leftover'));
    const after = open({ size: 1 });
    const own = await after.take(need());
    await poll(containers).toHaveLength(4);
    const removed = await after.sweep({ engine, keep: new Set([kept.id]) });
    expect([...removed].toSorted()).toEqual([left.container, 'sn/leftover', `sn/${left.id}`].toSorted());
    expect(await containers()).toEqual(expect.arrayContaining([kept.container, own.container]));
    expect(folders()).toHaveLength(3);
  });

  it('sweeps nothing when the engine gives no list', async () => {
    mkdirSync(join(socketsDir, 'leftover'), { recursive: true });
    engine.listContainers = () => Promise.reject(new Error('no answer'));
    await expect(open().sweep({ engine, keep: new Set() })).rejects.toThrow('no answer');
    expect(folders()).toEqual(['leftover']);
  });
});
