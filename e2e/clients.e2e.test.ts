import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Origin } from './support/origin.ts';
import { Person } from './support/person.ts';

interface Tried {
  readonly name: string;
  readonly code: number | null;
  readonly out: string;
}

/** A pack of this size crosses the proxy in each direction. */
const bytes = 20 * 1024 * 1024;

/** Hosts of the registries that npm and apt of the worker image are set up for, as entries of a list. */
async function listRegistries(person: Person): Promise<readonly string[]> {
  const script = 'npm config get registry; cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true';
  const image = ['--entrypoint', 'sh', 'localhost/kraft-worker:latest'];
  const said = await person.must(person.host.cli, ['run', '--rm', '--network', 'none', ...image, '-c', script]);
  const urls = [...said.matchAll(/https?:\/\/[^\s]+/g)].map(([url]) => new URL(url));
  return [...new Set(urls.map(({ hostname, protocol }) => `${hostname}:${protocol === 'https:' ? 443 : 80}`))];
}

onHosts(['docker'], 'real clients under a network policy', (host) => {
  let origin: Origin;
  let person: Person;
  const tried = new Map<string, Tried>();

  beforeAll(async () => {
    origin = await Origin.open(20);
    origin.makeRepository('big.git', bytes);
    person = new Person(host, origin.env());
    // The registries may be behind a CA that only this machine knows.
    const system = host.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt';
    const roots = existsSync(system) ? readFileSync(system, 'utf8') : '';
    const bundle = person.write('roots.pem', `${roots}\n${readFileSync(origin.caPath, 'utf8')}`);
    person.write('kraft/config/sandbox.yaml', `cli: ${host.cli}\nca_bundle: ${bundle}\n`);
    await person.startDaemon();
    const repository = await person.sampleRepository();
    cpSync(resolve(import.meta.dirname, 'fixtures/client-story.mjs'), join(repository, 'clients.mjs'));
    await person.git(repository, 'add', '.');
    await person.git(repository, 'commit', '--quiet', '-m', 'Bring clients');
    await person.connectUntested(repository, { allow: [origin.name, ...(await listRegistries(person))] });
    const facts = JSON.stringify({ allowed: origin.name, refused: origin.otherName, bytes });
    const { item } = await person.runItem(repository, `demo: sh node clients.mjs '${facts}'`);
    for (const line of readFileSync(join(item.worktree ?? '', 'clients.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')) {
      const each = JSON.parse(line) as Tried;
      tried.set(each.name, each);
    }
  }, 400_000);
  afterAll(async () => {
    await person[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  it.each([
    ['curl down', String(bytes)],
    ['curl up', String(bytes)],
    ['git clone', ''],
    ['git push', ''],
    ['git fetch', ''],
    ['node fetch', '200 hello from the origin'],
    ['node fetch, plain', '200 hello from the origin'],
    ['npm install', 'added 1 package'],
    ['apt update', ''],
    ['apt download', ''],
    ['python urllib', 'hello from the origin'],
  ])('%s reaches what is allowed', (name, says) => {
    const { code, out } = tried.get(name) ?? expect.unreachable('it was not tried');
    expect(code, out).toBe(0);
    expect(out).toContain(says);
  });

  it.each(['curl refused', 'git refused', 'node fetch refused', 'npm refused', 'python refused', 'apt refused'])(
    '%s is told that it is',
    (name) => {
      const { out } = tried.get(name) ?? expect.unreachable('it was not tried');
      expect(out).toMatch(/403|not on the allow list/);
    },
  );

  it('carries a push whole: the origin has the commit', () => {
    const commit = execFileSync('git', [
      '-C',
      join(origin.gitRoot, 'big.git'),
      'log',
      '-1',
      '--format=%s',
      'from-inside',
    ]);
    expect(commit.toString()).toBe('From inside\n');
  });
});
