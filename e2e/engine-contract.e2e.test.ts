import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { randomHex16, silentLog, systemClock } from '../src/base/index.ts';
import {
  createEngineProbe,
  openEngine,
  parseImageReader,
  parseProgramProbe,
  planImageReader,
  planProgramProbe,
  planUser,
  type Engine,
} from '../src/runtime/index.ts';
import { engineContract, plainSpec } from '../test/contracts/engine.contract.ts';
import { allHosts, onHosts, type EngineHost } from './support/hosts.ts';

const image = 'debian:bookworm-slim';
const dir = mkdtempSync(join(tmpdir(), 'kraft-engines-'));
chmodSync(dir, 0o755);
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Opens the host's engine from this process; a CLI that must be another person's is called through their account. */
async function openHost(host: EngineHost, over: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const bin = join(dir, host.name, 'bin');
  const privateDir = join(dir, host.name, 'private');
  mkdirSync(bin, { recursive: true });
  mkdirSync(privateDir, { recursive: true, mode: 0o700 });
  const env: Record<string, string> = { ...host.env, ...over };
  if (host.as.length > 0 && host.cli === 'podman') {
    writeFileSync(join(bin, 'podman'), `#!/bin/sh\nexec ${host.as.join(' ')} /usr/bin/podman "$@"\n`, { mode: 0o755 });
    chownSync(privateDir, host.uid, host.gid);
    env['PATH'] = `${bin}:${env['PATH'] ?? ''}`;
  }
  return await openEngine({ cli: host.cli, env: (name) => env[name], privateDir, log: silentLog });
}

onHosts(allHosts, 'an engine', (host) => {
  engineContract(host.name, async () => ({ engine: await openHost(host), image }));

  it('tells whether it is rootless', async () => {
    const facts = await (await openHost(host)).probe(30_000);
    expect(facts.rootless).toBe(host.name.endsWith('-rootless'));
    expect(facts.remote).toBeNull();
    expect(facts.kind).toBe(host.cli);
  });

  // The fake mounts nothing: this is for engines alone.
  it('mounts a read-only file into a folder in memory that a user without rights may write', async () => {
    const source = join(mkdtempSync(join(dir, 'file-')), 'own.json');
    chmodSync(dirname(source), 0o755);
    writeFileSync(source, 'ours\n', { mode: 0o644 });
    const folder = '/kraft/agent-config';
    const script = `cd ${folder} || exit 9; echo theirs 2>&- >own.json; rm -f own.json; mv own.json b; echo beside >c; cat own.json c`;
    const engine = await openHost(host);
    const result = await engine.runThrowaway(
      {
        ...plainSpec,
        image,
        command: ['sh', '-c', script],
        user: '1000:1000',
        mounts: [{ source, target: `${folder}/own.json`, readOnly: true }],
        tmpfs: { [folder]: 'mode=1777,size=64m' },
      },
      { env: {}, timeoutMs: 60_000, input: null },
    );
    expect(result.stdout).toBe('ours\nbeside\n');
    expect(readFileSync(source, 'utf8')).toBe('ours\n');
  });

  it('leaves what a container writes to the person (SI 1.5)', async () => {
    const engine = await openHost(host);
    const facts = await createEngineProbe(engine, systemClock).probeForLaunch();
    const source = mkdtempSync(join(dir, 'mine-'));
    chownSync(source, host.uid, host.gid);
    const { user, userNamespace } = planUser(facts, host.uid, host.gid);
    const result = await engine.runThrowaway(
      {
        ...plainSpec,
        image,
        user,
        userNamespace,
        mounts: [{ source, target: '/kraft/home', readOnly: false }],
        command: ['sh', '-c', 'mkdir /kraft/home/folder && : >/kraft/home/folder/file'],
      },
      { env: {}, timeoutMs: 60_000, input: null },
    );
    expect(result).toMatchObject({ exitCode: 0 });
    expect(readdirSync(source)).toEqual(['folder']);
    for (const path of [join(source, 'folder'), join(source, 'folder', 'file')])
      expect(statSync(path)).toMatchObject({ uid: host.uid, gid: host.gid });
  });

  it('tells which programs an image has, and what it is like, (SI 1.8, 5.8)', async () => {
    const engine = await openHost(host);
    const limits = { cpu: null, memoryBytes: null, closeSwap: false, pids: null };
    const look = { image, home: '/kraft-look', marker: randomHex16(), limits, selinux: null };
    const options = { env: {}, timeoutMs: 60_000, input: null };
    const programs = ['sh', 'kraft-no-such-program', 'cat'];
    const answer = await engine.runThrowaway(planProgramProbe({ ...look, programs, envNames: [] }), options);
    expect(parseProgramProbe(answer, { programs, marker: look.marker })).toEqual({
      kind: 'answered',
      missing: ['kraft-no-such-program'],
    });
    const read = await engine.runThrowaway(
      planImageReader({ ...look, namedFiles: ['/etc/hostname', '/none'] }),
      options,
    );
    const facts = parseImageReader(read, look.marker);
    expect(facts?.path).toContain('/usr/bin');
    expect(facts?.passwd).toMatch(/^root:x:0:0:/u);
    expect(facts?.group).toMatch(/^root:x:0:/u);
    expect(facts?.roots).toContain('-----BEGIN CERTIFICATE-----');
    expect(Object.keys(facts?.namedFiles ?? {})).toEqual(['/etc/hostname']);
  });

  it('puts no proxy of the person into a container (PF-P04)', async () => {
    const home = mkdtempSync(join(dir, 'home-'));
    chownSync(home, host.uid, host.gid);
    mkdirSync(join(home, '.docker'));
    const proxies = {
      default: {
        httpProxy: 'http://proxy:1',
        httpsProxy: 'http://proxy:1',
        noProxy: 'x',
        allProxy: 'http://p:1',
        ftpProxy: 'http://p:1',
      },
    };
    writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify({ proxies }));
    const env = {
      HTTP_PROXY: 'http://proxy:1',
      https_proxy: 'http://proxy:1',
      ...(host.cli === 'docker' ? { HOME: home } : {}),
    };
    const engine = await openHost(host, env);
    const result = await engine.runThrowaway(
      { ...plainSpec, image, command: ['env'] },
      { env, timeoutMs: 60_000, input: null },
    );
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('PATH=');
    expect(result.stdout).not.toMatch(/proxy/iu);
  });
});
