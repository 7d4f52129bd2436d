import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLog } from '../src/base/index.ts';
import { openEngine, type Engine } from '../src/runtime/index.ts';
import { engineContract } from '../test/contracts/engine.contract.ts';
import { engineHosts, type EngineHost } from './support/hosts.ts';

const image = 'debian:bookworm-slim';
const dir = mkdtempSync(join(tmpdir(), 'kraft-engines-'));
chmodSync(dir, 0o755);
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** Opens the host's engine from this process; a CLI that must be another person's is called through their account. */
async function openHost(host: EngineHost): Promise<Engine> {
  const bin = join(dir, host.name, 'bin');
  const privateDir = join(dir, host.name, 'private');
  mkdirSync(bin, { recursive: true });
  mkdirSync(privateDir, { recursive: true, mode: 0o700 });
  const env: Record<string, string> = { ...host.env };
  if (host.as.length > 0 && host.cli === 'podman') {
    writeFileSync(join(bin, 'podman'), `#!/bin/sh\nexec ${host.as.join(' ')} /usr/bin/podman "$@"\n`, { mode: 0o755 });
    chownSync(privateDir, host.uid, host.gid);
    env['PATH'] = `${bin}:${env['PATH'] ?? ''}`;
  }
  return await openEngine({ cli: host.cli, env: (name) => env[name], privateDir, log: silentLog });
}

const contextDir = join(dir, 'context');
mkdirSync(contextDir);
writeFileSync(join(contextDir, 'Dockerfile'), `FROM ${image}\nENV CONTRACT=yes\n`);

for (const host of engineHosts()) {
  engineContract(host.name, async () => ({ engine: await openHost(host), image, contextDir }));
}

describe('the engines of this machine', () => {
  it.each(engineHosts())('tells that $name is rootless or not, and what it enforces', async (host) => {
    const facts = await (await openHost(host)).probe(30_000);
    expect(facts.rootless).toBe(host.name.endsWith('-rootless'));
    expect(facts.remote).toBeNull();
    expect(facts.kind).toBe(host.cli);
  });
});
