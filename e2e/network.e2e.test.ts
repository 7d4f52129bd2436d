import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Origin } from './support/origin.ts';
import { Person } from './support/person.ts';

onHosts(['docker', 'podman'], 'a network policy', (host) => {
  let origin: Origin;
  beforeAll(async () => {
    origin = await Origin.open(10 + host.name.length);
  });
  afterAll(() => origin[Symbol.asyncDispose]());

  async function openPerson(): Promise<Person> {
    const person = new Person(host, origin.env());
    person.write('kraft/config/sandbox.yaml', `cli: ${host.cli}\nca_bundle: ${origin.caPath}\n`);
    await person.startDaemon();
    return person;
  }

  it('is mended by the line that a stop gives: allow, retry, end', async () => {
    await using person = await openPerson();
    const repository = await person.sampleRepository();
    await person.connectUntested(repository, { allow: [] });
    const id = await person.fileItem(repository, `demo: sh curl -fsS -m 20 https://${origin.name}/wanted`);
    await person.kraft('item', 'start', id);
    const stop = await person.untilItemRests(id);
    const stopped = await person.kraft('view', 'show', id);
    const line = new RegExp(`kraft repo allow ${origin.name}:443[^\`\\n]*`).exec(stopped)?.[0] ?? '';
    expect(stopped).toContain(line);
    const [, ...words] = line.trim().split(' ');
    await person.kraft(...words);
    await person.kraft('item', 'retry', id);
    await person.untilEvent(id, ({ type, seq }) => seq > stop.seq && /^work_item_(completed|needs_human)$/.test(type));
    expect((await person.show(id)).item.status).toBe('completed');
    expect(origin.arrivals.map(({ url }) => url)).toEqual(['/wanted']);

    const egress = await person.kraft('view', 'egress', id);
    expect(egress).toMatch(new RegExp(`${origin.name}:443`));
    expect(await person.kraft('view', 'egress', id, '--suggest')).toContain(`kraft repo allow ${origin.name}:443`);
  });

  it('outlives its daemon: the session goes on under the lists that it was launched with', async () => {
    await using person = await openPerson();
    const repository = await person.sampleRepository();
    await person.connectUntested(repository, { allow: [`${origin.name}:443`] });
    const asks = (path: string): string => `demo: sh curl -sS -m 30 https://${origin.name}/${path}`;
    const other = `demo: sh curl -sS -m 30 http://${origin.otherName}/ | grep -q 'not on the allow list' && echo still-refused`;
    const script = [asks('before'), 'demo: wait-for go', asks('after'), other].join('\n');
    const id = await person.fileItem(repository, script);
    await person.kraft('item', 'start', id);
    await person.untilEvent(id, ({ type }) => type === 'worker_session_started');
    const { sessions } = await person.show(id);
    const [session] = sessions;
    await person.untilText(session?.logPath ?? '', 'hello from the origin');
    const { pid } = await person.kraftJson<{ pid: number }>('admin', 'health');
    process.kill(pid, 'SIGKILL');
    // What the repository says now is for the next launch.
    person.replaceNetwork(`{runtime: {allow: ["${origin.otherName}"]}}`);
    await person.startDaemon();
    person.write(`${(await person.show(id)).item.worktree ?? ''}/go`, '');
    await person.untilItemRests(id);
    expect((await person.show(id)).item.status).toBe('completed');
    expect(readFileSync(session?.logPath ?? '', 'utf8')).toContain('still-refused');
    expect(origin.arrivals.map(({ url }) => url).filter((url) => url !== '/wanted')).toEqual(['/before', '/after']);
  });

  it('ends a session whose relay dies, as a configuration error, and never opens it', async () => {
    await using person = await openPerson();
    const repository = await person.sampleRepository();
    await person.connectUntested(repository, { allow: [`${origin.name}:443`] });
    const id = await person.fileItem(repository, 'demo: wait-for never');
    await person.kraft('item', 'start', id);
    await person.untilEvent(id, ({ type }) => type === 'worker_session_started');
    const session = (await person.show(id)).sessions[0];
    const network = await person.must(host.cli, [
      'inspect',
      '--format',
      '{{.HostConfig.NetworkMode}}',
      session?.container ?? '',
    ]);
    const relay = network.replace(/^container:/, '');
    await person.must(host.cli, ['kill', relay]);
    await person.untilItemRests(id);
    const { item } = await person.show(id);
    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_RELAY_LOST' });
    expect(item.stop?.remedy).toContain(`kraft item retry`);
  });
});
