import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KraftError, silentLog } from '../../src/base/index.ts';
import { openChannel, type Channel } from '../../src/relay/channel.ts';
import { checkSocketPath } from '../../src/relay/socket-dir.ts';

let socketsDir = '';
const opened: Channel[] = [];
const clients: Socket[] = [];

beforeEach(() => {
  socketsDir = join(mkdtempSync(join(tmpdir(), 'kraft-sn-')), 'sn');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const channel of opened.splice(0)) await channel.close();
  rmSync(join(socketsDir, '..'), { recursive: true, force: true });
});

const options = (relayId = 'r1') => ({ socketsDir, relayId, platform: 'linux', log: silentLog });

async function open(relayId = 'r1'): Promise<Channel> {
  const channel = await openChannel(options(relayId));
  opened.push(channel);
  return channel;
}

async function dial(name: 's.sock' | 'c.sock', relayId = 'r1'): Promise<Socket> {
  const client = connect({ path: join(socketsDir, relayId, name), allowHalfOpen: true });
  clients.push(client);
  client.on('error', () => undefined);
  await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject));
  return client;
}

const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) =>
    socket
      .resume()
      .once('close', () => resolve())
      .once('end', () => socket.end()),
  );

describe('the folder of a channel', () => {
  it('is closed to others each time that it is opened, and its socket is there (SI 3.5, 9.9)', async () => {
    mkdirSync(join(socketsDir, 'r1'), { recursive: true });
    chmodSync(socketsDir, 0o777);
    chmodSync(join(socketsDir, 'r1'), 0o777);
    const channel = await open();
    expect(channel.directory).toBe(join(socketsDir, 'r1'));
    for (const dir of [socketsDir, channel.directory]) expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect(statSync(join(channel.directory, 's.sock')).isSocket()).toBe(true);
  });

  it('is refused, with the remedy, where its socket’s path is too long for the system (PF-R02)', () => {
    const path = (bytes: number) => ({ ...options(), socketsDir: `/${'x'.repeat(bytes - '/r1/s.sock'.length - 1)}` });
    expect(() => checkSocketPath(path(107))).not.toThrow();
    expect(() => checkSocketPath(path(108))).toThrow(
      expect.objectContaining({
        code: 'KRAFT_CHANNEL_PATH_TOO_LONG',
        remedy: expect.stringContaining('at least 1 bytes shorter') as string,
      }),
    );
    expect(() => checkSocketPath({ ...path(104), platform: 'darwin' })).toThrow(/103 at most/u);
    expect(() => checkSocketPath({ ...options(), socketsDir: `/${'é'.repeat(60)}` })).toThrow(/has 131 bytes/u);
  });

  it('keeps its inode when the daemon goes, and gets its socket back at the same path (SI 3.6)', async () => {
    const channel = await open();
    const { ino } = statSync(channel.directory);
    await channel.suspend();
    expect(existsSync(join(channel.directory, 's.sock'))).toBe(false);
    const again = await open();
    expect(statSync(again.directory).ino).toBe(ino);
    await dial('s.sock');
  });

  it('goes with the channel, which may be closed twice', async () => {
    const channel = await open();
    await channel.close();
    await channel.close();
    expect(existsSync(channel.directory)).toBe(false);
    expect(existsSync(socketsDir)).toBe(true);
  });

  it('takes the place of what a killed daemon left, and follows no link that a relay planted', async () => {
    const victim = join(socketsDir, '..', 'victim');
    mkdirSync(join(socketsDir, 'r1'), { recursive: true });
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(socketsDir, 'r1', 's.sock'));
    writeFileSync(join(socketsDir, 'r1', 'c.sock'), 'stale');
    const channel = await open();
    expect(lstatSync(join(channel.directory, 's.sock')).isSocket()).toBe(true);
    expect(lstatSync(victim).isFile()).toBe(true);
    symlinkSync(join(socketsDir, '..'), join(channel.directory, 'out'));
    await channel.close();
    expect(existsSync(victim)).toBe(true);
  });

  it.each([
    ['is a link', (path: string) => symlinkSync(tmpdir(), path), 'KRAFT_CHANNEL_FOLDER_UNSAFE'],
    ['is a file', (path: string) => writeFileSync(path, ''), 'CHANNEL_NOT_OPENED'],
    [
      'has a folder where its socket belongs',
      (path: string) => mkdirSync(join(path, 's.sock'), { recursive: true }),
      'there is a folder where a socket belongs',
    ],
  ])('is refused when it %s', async (_, plant, reason) => {
    mkdirSync(socketsDir, { recursive: true });
    plant(join(socketsDir, 'r1'));
    const refused = await openChannel(options()).then(
      () => '',
      (error: unknown) => (error instanceof KraftError ? `${error.code}: ${error.message}` : ''),
    );
    expect(refused).toContain(reason);
  });
});

describe('a channel', () => {
  it('hands on each connection with what it sent, half-open, and those that came before anybody served', async () => {
    const channel = await open();
    const early = await dial('s.sock');
    early.end('early');
    channel.serve((socket) => void text(socket).then((said) => socket.end(`heard ${said}`)));
    expect(await text(early)).toBe('heard early');
    const late = await dial('s.sock');
    late.end('late');
    expect(await text(late)).toBe('heard late');
  });

  it('lets few wait, and closes those beyond', async () => {
    await open();
    const all = await Promise.all(Array.from({ length: 20 }, () => dial('s.sock')));
    let closed = 0;
    for (const client of all)
      client
        .resume()
        .once('close', () => closed++)
        .once('end', () => client.end());
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(4);
    const channel = opened[0];
    const served: Socket[] = [];
    channel?.serve((socket) => served.push(socket));
    expect(served).toHaveLength(16);
  });

  it('tells two sessions apart by their sockets alone', async () => {
    const [one, two] = [await open('r1'), await open('r2')];
    one.serve((socket) => socket.end('one'));
    two.serve((socket) => socket.end('two'));
    expect(await text(await dial('s.sock', 'r2'))).toBe('two');
    expect(await text(await dial('s.sock', 'r1'))).toBe('one');
  });

  it('ends its own idle connections when it closes, and no other channel’s (SI 9.9)', async () => {
    const [one, two] = [await open('r1'), await open('r2')];
    for (const channel of [one, two]) channel.serve((socket) => socket.resume());
    const [mine, other] = [await dial('s.sock', 'r1'), await dial('s.sock', 'r2')];
    const gone = ended(mine);
    await one.close();
    await gone;
    expect(other.destroyed).toBe(false);
    two.serve((socket) => socket.end('still here'));
    expect(await text(await dial('s.sock', 'r2'))).toBe('still here');
  });

  it('outlives a client that is torn down in the middle (PF-R16)', async () => {
    const channel = await open();
    let sawEnd = false;
    channel.serve((socket) => {
      socket.on('data', () => socket.write(Buffer.alloc(1_000_000)));
      socket.on('close', () => (sawEnd = true));
    });
    const client = await dial('s.sock');
    client.write('x');
    client.once('data', () => client.destroy());
    await expect.poll(() => sawEnd, { timeout: 10_000 }).toBe(true);
    channel.serve((socket) => socket.end('here'));
    expect(await text(await dial('s.sock'))).toBe('here');
  });
});

describe('the control connection', () => {
  it('says when the relay listens, and asks it for a request through its port', async () => {
    const { control } = await open();
    expect(await control.probe(1_000)).toBeNull();
    const relay = await dial('c.sock');
    relay.write('kraft-relay 1 ready\n');
    expect(await control.greeted).toBe('1');
    relay.once('data', (line) => {
      const nonce = String(line).slice('probe '.length, -1);
      relay.write(`probe 0123 200\nprobe ${nonce} 403\n`);
    });
    expect(await control.probe(5_000)).toBe(403);
  });

  it('takes a status of 0, silence and a hang-up for no answer', async () => {
    const { control } = await open();
    const relay = await dial('c.sock');
    relay.write('kraft-relay 1 ready\n');
    await control.greeted;
    relay.once('data', (line) => relay.write(`${String(line).trim()} 0\n`));
    expect(await control.probe(5_000)).toBeNull();
    expect(await control.probe(20)).toBeNull();
    const asked = control.probe(60_000);
    let hungUp = false;
    control.onHangUp = () => (hungUp = true);
    relay.destroy();
    expect(await asked).toBeNull();
    expect(hungUp).toBe(true);
    expect(control.connected).toBe(false);
  });

  it('keeps the connection of a relay that came back, and its former one says nothing any more', async () => {
    const { control } = await open();
    let hangUps = 0;
    control.onHangUp = () => hangUps++;
    const first = await dial('c.sock');
    first.write('kraft-relay 1 ready\n');
    await control.greeted;
    const second = await dial('c.sock');
    second.write('kraft-relay 1 ready\n');
    await ended(first);
    second.once('data', (line) => second.write(`${String(line).trim()} 403\n`));
    expect(await control.probe(5_000)).toBe(403);
    expect(hangUps).toBe(0);
  });

  it.each([
    ['another version', 'kraft-relay 2 ready\n'],
    ['no greeting', 'probe 00 403\n'],
    ['a line without an end', 'x'.repeat(200)],
    ['a line that is no answer', 'kraft-relay 1 ready\nGET / HTTP/1.1\n'],
  ])('is hung up on after %s', async (_, words) => {
    const { control } = await open();
    const relay = await dial('c.sock');
    const gone = ended(relay);
    relay.write(words);
    await gone;
    await expect.poll(() => control.connected, { timeout: 10_000 }).toBe(false);
  });
});
