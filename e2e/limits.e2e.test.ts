import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person, type EventLine, type ShownItem } from './support/person.ts';

/** Gives the one entry of repos.yaml these limits in place of the ones it had. */
function limit(person: Person, resources: string): void {
  const file = join(person.kraftHome, 'config/repos.yaml');
  const text = readFileSync(file, 'utf8').replace(/^ *resources: .*\n/m, '');
  person.write(file, text.replace(/^( *)(image: .*)$/m, `$1$2\n$1resources: ${resources}`));
}

/** Takes four times the limit; `tail` keeps its input, as there is no line in it. */
const hog = 'head -c 200m /dev/zero | tail >/dev/null';

/** The kernel is told whom to take first: the agent, with which the container ends, or what the agent has started. */
const agentDies = `demo: sh echo 1000 >/proc/$PPID/oom_score_adj; ${hog}`;
const childDies = [
  `demo: sh echo 1000 >/proc/$$/oom_score_adj; ${hog}`,
  'demo: write killed yes',
  'demo: wait-for go',
  'demo: result done',
].join('\n');
const endsWith137 = 'demo: no-result\ndemo: exit 137';

/** Starts processes until it may not, and writes down how many it could. */
const bomb =
  'demo: sh i=0; while :; do sleep 100 >/dev/null 2>&1 & i=$((i+1)); echo $i >started; done\ndemo: sh echo unheard';

/** A hundred processes, then two seconds of work: what the kernel gave of them, and how often it held back. */
const works = [
  'demo: sh for i in $(seq 100); do sleep 100 >/dev/null 2>&1 & done',
  "demo: sh node -e \"const now=()=>performance.now();const from=now();const before=process.cpuUsage();while(now()-from<2000);const{user,system}=process.cpuUsage(before);const stat=['cpu','cpu,cpuacct','.'].map(name=>'/sys/fs/cgroup/'+name+'/cpu.stat').find(fs.existsSync);fs.writeFileSync('work.json',JSON.stringify({share:(user+system)/1000/(now()-from),throttled:Number(/nr_throttled (\\d+)/.exec(fs.readFileSync(stat,'utf8'))[1])}))\"",
  'demo: result done',
].join('\n');

function killsOf(events: readonly EventLine[]): readonly EventLine['payload'][] {
  return events.filter((event) => event.type === 'sandbox_oom_killed').map((event) => event.payload);
}

/** The worktree, as soon as the item has it. */
async function untilPrepared(person: Person, id: string): Promise<string> {
  await person.untilEvent(id, (event) => event.type === 'worktree_prepared');
  return (await person.show(id)).item.worktree ?? expect.unreachable('it has no worktree');
}

function clientDirs(person: Person): readonly string[] {
  const clients = join(person.kraftHome, 'run', 'sandbox-client');
  return existsSync(clients) ? readdirSync(clients) : [];
}

async function traces(person: Person, shown: ShownItem): Promise<unknown> {
  return {
    containers: await person.containers(),
    clientDirs: clientDirs(person),
    oomFile: shown.item.worktree !== null && existsSync(join(shown.item.worktree, 'oom')),
  };
}

const noTraces = { containers: [], clientDirs: [], oomFile: false };

// SI-9.3 C11, C12
onHosts(['docker', 'podman'], 'limits', (host) => {
  it('stop an item whose agent was killed for its memory, and keep the result of one that only lost a child', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    limit(person, '{memory: 48m}');
    await person.startDaemon();

    const killed = await person.runItem(repository, agentDies);
    expect(killed.item.status).toBe('needs_human');
    expect(killed.item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED' });
    expect(killed.item.stop?.reason).toContain('48m');
    expect(killed.item.stop?.remedy).toMatch(/sandbox\.resources\.memory.*96m/);
    const [session] = killed.sessions;
    expect(session?.status).toBe('config_error');
    expect(killsOf(await person.events(killed.item.id))).toMatchObject([
      { session_id: session?.id, memory: '48m', confirmed: true },
    ]);
    expect(await traces(person, killed)).toEqual(noTraces);

    // The parent lives on, and on Podman the engine's word is taken away: what the cgroup counted confirms by itself.
    const id = await person.fileItem(repository, childDies);
    await person.kraft('item', 'start', id);
    const worktree = await untilPrepared(person, id);
    await person.untilFile(join(worktree, 'killed'));
    if (host.cli === 'podman') {
      const [dir = ''] = clientDirs(person);
      rmSync(join(person.kraftHome, 'run', 'sandbox-client', dir, 'oom'));
    }
    person.write(join(worktree, 'go'), '');
    await person.untilItemRests(id);
    const survived = await person.show(id);
    expect(survived.item.status).toBe('completed');
    const [kill, ...others] = killsOf(await person.events(id));
    expect(others).toEqual([]);
    expect(kill).toMatchObject({ memory: '48m', confirmed: true });
    expect(kill?.['peak_bytes']).toBeGreaterThan(47 * 1024 ** 2);
    expect(kill?.['peak_bytes']).toBeLessThanOrEqual(48 * 1024 ** 2);
    expect(await traces(person, survived)).toEqual(noTraces);
  });

  it('may be behind a 137 that nobody confirms, and are never blamed for one where there is no limit', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    limit(person, '{memory: 256m}');
    const limited = await person.runItem(repository, endsWith137);
    expect(limited.item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED' });
    expect(limited.item.stop?.reason).toMatch(/code 137 .*256m.* did not confirm/);
    expect(killsOf(await person.events(limited.item.id))).toMatchObject([{ memory: '256m', confirmed: false }]);
    limit(person, '{}');
    const unlimited = await person.runItem(repository, endsWith137);
    expect(unlimited.item.stop).toMatchObject({ kind: 'failed', code: null });
    expect(unlimited.item.stop?.reason).toContain('137');
    expect(killsOf(await person.events(unlimited.item.id))).toEqual([]);
  });

  it('stop an item whose setup command was killed for its memory, in the same words, and leave no worktree', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.kraft('repo', 'connect', repository, '--open-network', '--setup-command', hog, '--no-tests');
    limit(person, '{memory: 48m}');
    await person.startDaemon();
    const { item, sessions } = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED' });
    expect(item.stop?.reason).toContain('48m');
    expect(item.stop?.remedy).toContain('sandbox.resources.memory');
    const [kill] = killsOf(await person.events(item.id));
    expect(kill).toMatchObject({ memory: '48m', confirmed: true });
    expect(kill?.['session_id']).toBeTypeOf('string');
    expect(sessions).toEqual([]);
    expect(existsSync(join(person.kraftHome, 'run', 'worktrees', item.id))).toBe(false);
    expect(await person.containers()).toEqual([]);
    expect(clientDirs(person)).toEqual([]);
  });

  it('contain an agent that starts processes without end, and give one that works no more than its share', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    limit(person, '{pids: 64}');
    const { item, sessions } = await person.runItem(repository, bomb);
    expect(item.stop).toMatchObject({ kind: 'failed' });
    expect(item.stop?.reason).toContain('exit code 2');
    expect(readFileSync(sessions[0]?.logPath ?? '', 'utf8')).toMatch(/fork/);
    const started = Number(readFileSync(join(item.worktree ?? '', 'started'), 'utf8'));
    expect(started).toBeGreaterThan(20);
    expect(started).toBeLessThan(64);
    expect(await person.containers()).toEqual([]);

    limit(person, '{cpu: 0.2, pids: 256}');
    const worked = await person.runItem(repository, works);
    expect(worked.item.status).toBe('completed');
    const text = await person.git(repository, 'show', `${worked.item.branch}:work.json`);
    const { share, throttled } = JSON.parse(text) as { readonly share: number; readonly throttled: number };
    // A busy machine gives less; that the kernel held back says that it was the quota.
    expect(share).toBeLessThan(0.3);
    expect(throttled).toBeGreaterThan(5);
  });
});

// Which limits a rootless engine enforces is the host's affair. What must not be is one that is neither in force nor refused.
onHosts(['podman-rootless'], 'limits', (host) => {
  it('are refused before anything runs where they would be ignored, and an item without any starts', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    const unlimited = await person.runItem(repository, endsWith137);
    expect(unlimited.item.stop).toMatchObject({ kind: 'failed', code: null });
    expect(unlimited.sessions).toMatchObject([{ status: 'failed' }]);
    const controllers = await person.must('podman', ['info', '--format', '{{.Host.CgroupControllers}}']);
    limit(person, '{memory: 48m}');
    const { item, sessions } = await person.runItem(repository, agentDies);
    expect(item.stop?.kind).toBe('config');
    const refused = !controllers.includes('memory');
    expect(item.stop?.code).toBe(refused ? 'KRAFT_LIMIT_UNENFORCEABLE' : 'KRAFT_MEMORY_LIMIT_REACHED');
    expect(item.stop?.reason).toContain('48m');
    expect(sessions.length).toBe(refused ? 0 : 1);
    if (!refused) return;
    expect(item.stop?.reason).toMatch(/resources\.memory: 48m .*cgroup controller "memory"/);
    expect(item.stop?.remedy).toContain('user@.service.d/delegate.conf');
    expect(item.stop?.remedy).toContain('Delegate=cpu cpuset io memory pids');
    // PF-D02: what doctor says of it is told with it.
    expect(item.stop?.facts['doctor_row']).toMatch(/^sandbox .*: fail: .*resources\.memory: 48m/);
    expect(await person.kraft('view', 'show', item.id)).toMatch(/^doctor +sandbox .*resources\.memory: 48m/m);
    expect(item.worktree).toBeNull();
    expect(await person.containers()).toEqual([]);
  });
});
