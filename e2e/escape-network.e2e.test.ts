import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onHosts, type HostName } from './support/hosts.ts';
import { Origin } from './support/origin.ts';
import { Person, type ShownItem } from './support/person.ts';

/** A try of the probe that ended on its own. */
interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err?: string;
}

const hosts: readonly HostName[] = ['docker', 'podman', 'podman-rootless', 'docker-rootless'];
/** What a kernel says where there is no way. */
const noWay = /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|EAFNOSUPPORT|ENETDOWN)$/;

onHosts(hosts, 'a worker under a network policy', (host) => {
  let person: Person;
  let origin: Origin;
  let shown: ShownItem;
  const found = new Map<string, unknown>();

  /** A start of the probe and everything it told. */
  async function probe(): Promise<void> {
    const repository = await person.sampleRepository();
    cpSync(resolve(import.meta.dirname, 'fixtures/escape-probe.mjs'), join(repository, 'probe.mjs'));
    await person.git(repository, 'add', '.');
    await person.git(repository, 'commit', '--quiet', '-m', 'Bring a probe');
    await person.connectUntested(repository, { allow: [`${origin.name}:443`, `*.${origin.domain}:8443`] });
    const facts = {
      origin: origin.address,
      originName: origin.name,
      otherName: origin.otherName,
      host: origin.hostAddress,
      neighbour: '172.17.0.2',
    };
    const script = `demo: sh node probe.mjs '${JSON.stringify(facts)}'`;
    shown = await person.runItem(repository, script);
    const told = readFileSync(join(shown.item.worktree ?? '', 'probe.jsonl'), 'utf8');
    for (const line of told.trimEnd().split('\n')) {
      const { name, result } = JSON.parse(line) as { name: string; result: unknown };
      found.set(name, result);
    }
  }

  beforeAll(async () => {
    origin = await Origin.open(hosts.indexOf(host.name));
    person = new Person(host, origin.env());
    person.write('kraft/config/sandbox.yaml', `cli: ${host.cli}\nca_bundle: ${origin.caPath}\n`);
    await person.startDaemon();
    await probe();
  }, 300_000);
  afterAll(async () => {
    await person[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  it('has loopback and nothing else', () => {
    expect(found.get('interfaces')).toEqual(['lo']);
    expect(found.get('routes')).toEqual([]);
  });

  it('reaches nothing by itself: no address, no name, no other container, over no protocol', () => {
    const direct = [...found].filter(([name]) => /^(direct|udp|dns)/.test(name));
    expect(direct.length).toBe(12);
    for (const [name, result] of direct) expect(String(result), name).toMatch(noWay);
    expect(found.get('a name without the proxy')).toMatch(/^(EAI_AGAIN|ENOTFOUND)$/);
    expect(found.get('a raw socket')).toBe('Operation not permitted');
    expect(found.get('a packet socket')).toBe('Operation not permitted');
    expect(found.get('an own network namespace')).not.toBe(0);
    expect(origin.arrivals.filter(({ kind }) => kind === 'tcp' || kind === 'udp')).toEqual([]);
  });

  it('finds no socket of the host', () => {
    expect(found.get('sockets of the host')).toEqual([]);
    expect(found.get('unix sockets that are mounted')).toEqual([]);
  });

  it('reaches what is allowed, on the port that is allowed', () => {
    expect(found.get('allowed over https')).toMatchObject({ code: 0, out: 'hello from the origin\n' });
    expect((found.get('an allowed host by another port') as Ran).out).toContain(`${origin.name}:80`);
    expect(origin.arrivals.map(({ kind, url }) => `${kind} ${url ?? ''}`)).toEqual(['https /allowed']);
  });

  it('is told why it is refused, in words that say that it is policy', () => {
    for (const name of ['refused over http', 'refused in another spelling']) {
      const { out } = found.get(name) as Ran;
      expect(out, name).toMatch(/^kraft: .*policy/);
      expect(out, name).toContain(`kraft repo allow ${origin.otherName}:80`);
    }
    expect((found.get('refused over https') as Ran).err).toContain('403');
    expect(found.get('refused through a process inside')).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('is not led to this machine, to loopback or to a metadata service by the proxy either', () => {
    for (const name of [
      'this machine through the proxy',
      'loopback through the proxy',
      'loopback over ipv6 through the proxy',
      'a mapped loopback through the proxy',
      'metadata through the proxy',
      'a metadata name through the proxy',
      'the origin by its address through the proxy',
    ])
      expect(found.get(name), name).toMatch(/^HTTP\/1\.1 403 /);
    for (const name of ['a short loopback through the proxy', 'a number through the proxy'])
      expect(found.get(name), name).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('gets nothing past the proxy that was not asked for on its own', () => {
    expect(found.get('two lengths')).toMatch(/^HTTP\/1\.1 400 /);
    expect(found.get('a bare line feed')).toMatch(/^HTTP\/1\.1 400 /);
    expect(found.get('a second request behind an allowed one')).not.toContain('hello from the origin');
    expect(origin.arrivals.some(({ url }) => url?.includes('smuggled'))).toBe(false);
  });

  it('has the shim first on its PATH, which it cannot change, and reaches Kraft for its own item alone', async () => {
    expect(found.get('the shim')).toBe('/opt/kraft/bin/kraft');
    expect(found.get('what stands beside the shim')).toEqual(['kraft']);
    expect(found.get('the shim is not mine to change')).toMatch(/^(EROFS|EACCES)$/);
    expect(found.get('progress')).toBe(0);
    expect(found.get('another item')).not.toBe(0);
    const events = await person.events(shown.item.id);
    expect(events.filter(({ type }) => type === 'plan_progress')).toMatchObject([{ payload: { task: 1 } }]);
  });

  it('has every proxy variable in both cases, and none that makes an exception', () => {
    const environment = found.get('environment') as Readonly<Record<string, string>>;
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      expect(environment[name], name).toBe('http://127.0.0.1:3128');
    for (const name of ['NO_PROXY', 'no_proxy', 'ALL_PROXY', 'all_proxy']) expect(environment[name], name).toBe('');
    expect(environment['PATH']).toMatch(/^\/opt\/kraft\/bin:/);
  });

  it('leaves one event for each host that was refused, and no container', async () => {
    const refused = (await person.events(shown.item.id)).filter(({ type }) => type === 'sandbox_egress_refused');
    const names = refused.map(({ payload }) => payload['host']);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([origin.otherName, origin.hostAddress, '127.0.0.1', '169.254.169.254']),
    );
    await person.kraft('admin', 'stop');
    expect(await person.containers()).toEqual([]);
  });
});
