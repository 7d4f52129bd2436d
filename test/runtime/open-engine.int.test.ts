import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { DockerEngine } from '../../src/runtime/docker/docker-engine.ts';
import { PodmanEngine } from '../../src/runtime/podman/podman-engine.ts';
import { openEngine, type Engine } from '../../src/runtime/index.ts';
import { plainSpec } from '../contracts/engine.contract.ts';

let dir = '';
let servers: Server[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'open-engine-'));
  mkdirSync(join(dir, 'bin'));
  servers = [];
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(dir, { recursive: true, force: true });
});

const dockerInfo = {
  ServerVersion: '27.0',
  KernelVersion: release(),
  OperatingSystem: 'Debian',
  SecurityOptions: [],
  CpuCfsQuota: true,
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
};
const podmanInfo = {
  host: {
    kernel: release(),
    serviceIsRemote: false,
    cgroupControllers: ['pids'],
    security: { rootless: true, selinuxEnabled: false },
  },
  version: { Version: '5.0' },
};

/** A program of this name first on PATH. */
function program(name: string, script: string): void {
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
/** A `docker` whose context names the endpoint. */
function dockerCli(host: string): void {
  program('docker', `case "$1" in --version) echo "Docker version 27.0";; context) echo '{"Host":"${host}"}';; esac`);
}
function podmanCli(name: string, info: unknown): void {
  program(name, `case "$1" in --version) echo "podman version 5.0";; info) echo '${JSON.stringify(info)}';; esac`);
}
/** An engine's API on a socket. */
async function serve(answer: (url: string, response: ServerResponse) => void): Promise<string> {
  const socket = join(dir, `api-${servers.length}.sock`);
  const server = createServer((request, response) => answer(request.url ?? '', response));
  servers.push(server);
  await new Promise<void>((done) => server.listen(socket, done));
  return socket;
}
function serveDocker(info: unknown, version: unknown = {}): Promise<string> {
  return serve((url, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url.includes('/version') ? version : info));
  });
}
function open(cli: 'docker' | 'podman' | null, env: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const all: Record<string, string> = { PATH: `${dir}/bin`, ...env };
  return openEngine({ cli, env: (name) => all[name], privateDir: join(dir, 'private'), log: silentLog });
}

describe('which engine runs', () => {
  it('is Docker where both answer, and the one that sandbox.yaml names otherwise', async () => {
    dockerCli(`unix://${await serveDocker(dockerInfo)}`);
    podmanCli('podman', podmanInfo);
    expect((await open(null)).kind).toBe('docker');
    expect((await open('podman')).kind).toBe('podman');
  });

  it('is Podman where a docker CLI has no engine: a CLI is no sign of one', async () => {
    dockerCli(`unix://${dir}/none.sock`);
    podmanCli('podman', podmanInfo);
    expect((await open(null)).kind).toBe('podman');
  });

  it('is Podman where `docker` is Podman, whatever it is called (SI 1.3, PF-D01)', async () => {
    podmanCli('docker', podmanInfo);
    const engine = await open('docker');
    expect(engine.kind).toBe('podman');
    expect(engine.cli).toBe(join(dir, 'bin', 'docker'));
    expect(await engine.probe(5_000)).toMatchObject({ kind: 'podman', rootless: true });
  });

  it('is not Podman’s service behind a docker CLI, whose user mapping cannot be asked for (PF-D01)', async () => {
    dockerCli(`unix://${await serveDocker(dockerInfo, { Components: [{ Name: 'Podman Engine' }] })}`);
    await expect(open('docker')).rejects.toMatchObject({
      message: expect.stringContaining("socket is Podman's") as string,
    });
  });

  it('is none: every attempt is told with its endpoint and why (PF-D04)', async () => {
    dockerCli(`unix://${dir}/none.sock`);
    await expect(open(null)).rejects.toMatchObject({
      code: 'KRAFT_ENGINE_UNREACHABLE',
      message: expect.stringMatching(
        /docker at unix:\/\/.*none\.sock \(there is no such socket\), podman \(it is not on PATH\)/u,
      ) as string,
    });
  });

  it('is never on another machine: a tcp or ssh endpoint is refused with the reason', async () => {
    for (const host of ['tcp://192.0.2.1:2375', 'ssh://ada@build']) {
      dockerCli(host);
      await expect(open('docker')).rejects.toMatchObject({
        code: 'KRAFT_ENGINE_REMOTE',
        message: expect.stringContaining(host) as string,
      });
    }
  });

  it('is the local one where another machine is named too', async () => {
    dockerCli('tcp://192.0.2.1:2375');
    podmanCli('podman', podmanInfo);
    expect((await open(null)).kind).toBe('podman');
  });

  it('opens in a VM, and says that nothing is launched there', async () => {
    dockerCli(`unix://${await serveDocker({ ...dockerInfo, OperatingSystem: 'Docker Desktop' })}`);
    const facts = await (await open(null)).probe(5_000);
    expect(facts.remote?.why).toContain('Docker Desktop');
  });

  it('resolves the endpoint with DOCKER_HOST, DOCKER_CONTEXT and DOCKER_CONFIG of the person', async () => {
    program(
      'docker',
      `case "$1" in --version) echo Docker;; context) echo "$DOCKER_HOST $DOCKER_CONTEXT $DOCKER_CONFIG" >"${dir}/seen";; esac`,
    );
    await expect(open('docker', { DOCKER_HOST: 'h', DOCKER_CONTEXT: 'c', DOCKER_CONFIG: 'd' })).rejects.toThrow(
      /context/u,
    );
    expect(readFileSync(join(dir, 'seen'), 'utf8')).toBe('h c d\n');
  });
});

describe('the Docker client', () => {
  it('runs containers pinned to that endpoint, with a configuration that has no proxies (PF-P04)', async () => {
    const socket = await serveDocker(dockerInfo);
    dockerCli(`unix://${socket}`);
    const engine = await open('docker', { HTTP_PROXY: 'http://proxy:1', DOCKER_CONTEXT: 'other', HOME: '/home/ada' });
    const { env } = engine.clientCommand({ ...plainSpec, image: 'debian' }, {});
    expect(env).toMatchObject({
      DOCKER_HOST: `unix://${socket}`,
      DOCKER_CONFIG: join(dir, 'private', 'docker-config'),
    });
    expect(Object.keys(env).filter((name) => /proxy|context/iu.test(name))).toEqual([]);
    expect(readFileSync(join(dir, 'private', 'docker-config', 'config.json'), 'utf8')).toBe('{}\n');
    expect(statSync(join(dir, 'private')).mode & 0o777).toBe(0o700);
  });
});

describe('an engine that hangs', () => {
  it('costs a Docker call its bound and no more (SI-9.1 A25)', async () => {
    const socketPath = await serve(() => undefined);
    const env = (): undefined => undefined;
    mkdirSync(join(dir, 'private'));
    const engine = new DockerEngine({
      cli: '/bin/false',
      socketPath,
      env,
      privateDir: join(dir, 'private'),
      callTimeoutMs: 200,
    });
    const before = performance.now();
    await expect(engine.removeContainer('kraft-s1')).rejects.toMatchObject({ code: 'KRAFT_ENGINE_TIMEOUT' });
    await expect(engine.probe(200)).rejects.toMatchObject({ code: 'KRAFT_ENGINE_TIMEOUT' });
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it('costs a Podman call its bound and no more (SI-9.1 A25)', async () => {
    program('podman', 'exec sleep 60');
    const env = (name: string): string | undefined => (name === 'PATH' ? '/usr/bin:/bin' : undefined);
    const engine = new PodmanEngine({ cli: join(dir, 'bin', 'podman'), env, privateDir: dir, callTimeoutMs: 200 });
    const before = performance.now();
    await expect(engine.listContainers({ key: 'a', value: 'b' })).rejects.toMatchObject({
      code: 'KRAFT_ENGINE_TIMEOUT',
    });
    await expect(engine.removeContainer('kraft-s1')).rejects.toMatchObject({ code: 'KRAFT_ENGINE_TIMEOUT' });
    await expect(engine.probe(200)).rejects.toMatchObject({ code: 'KRAFT_ENGINE_UNREACHABLE' });
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe('an answer of another shape', () => {
  it('is an error that says so, never a value', async () => {
    const socketPath = await serve((_, response) =>
      response.setHeader('content-type', 'application/json').end('{"Id":5}'),
    );
    mkdirSync(join(dir, 'private'));
    const env = (): undefined => undefined;
    const engine = new DockerEngine({
      cli: '/bin/false',
      socketPath,
      env,
      privateDir: join(dir, 'private'),
      callTimeoutMs: 2_000,
    });
    await expect(engine.inspectContainer('x')).rejects.toMatchObject({ code: 'KRAFT_ENGINE_CALL_FAILED' });
    await expect(engine.listContainers({ key: 'a', value: 'b' })).rejects.toMatchObject({
      code: 'KRAFT_ENGINE_CALL_FAILED',
    });
  });

  it('of podman that is not there is told from one that failed', async () => {
    program('podman', 'case "$2" in exists) exit 125;; *) echo "storage is broken" >&2; exit 125;; esac');
    const env = (): undefined => undefined;
    const engine = new PodmanEngine({ cli: join(dir, 'bin', 'podman'), env, privateDir: dir, callTimeoutMs: 2_000 });
    await expect(engine.inspectContainer('x')).rejects.toMatchObject({
      code: 'KRAFT_ENGINE_CALL_FAILED',
      message: expect.stringContaining('storage is broken') as string,
    });
  });
});
