import { existsSync, readdirSync, readFileSync } from 'node:fs';
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
const childDies = `demo: sh echo 1000 >/proc/$$/oom_score_adj; ${hog}\ndemo: result done`;

function killsOf(events: readonly EventLine[]): readonly EventLine['payload'][] {
  return events.filter((event) => event.type === 'sandbox_oom_killed').map((event) => event.payload);
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
    expect(killed.item.stop?.remedy).toContain('sandbox.resources.memory');
    const [session] = killed.sessions;
    expect(session?.status).toBe('config_error');
    expect(killsOf(await person.events(killed.item.id))).toMatchObject([
      { session_id: session?.id, memory: '48m', confirmed: true },
    ]);
    expect(await traces(person, killed)).toEqual(noTraces);

    const survived = await person.runItem(repository, childDies);
    expect(survived.item.status).toBe('completed');
    expect(killsOf(await person.events(survived.item.id))).toMatchObject([{ memory: '48m', confirmed: true }]);
    expect(await traces(person, survived)).toEqual(noTraces);
  });

  it('stop an item whose setup command was killed for its memory, in the same words, and leave no worktree', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.kraft('repo', 'connect', repository, '--setup-command', hog, '--no-tests');
    limit(person, '{memory: 48m}');
    await person.startDaemon();
    const { item, sessions } = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(item.stop).toMatchObject({ kind: 'config', code: 'KRAFT_MEMORY_LIMIT_REACHED' });
    expect(item.stop?.reason).toContain('48m');
    expect(item.stop?.remedy).toContain('sandbox.resources.memory');
    expect(sessions).toEqual([]);
    expect(existsSync(join(person.kraftHome, 'run', 'worktrees', item.id))).toBe(false);
    expect(await person.containers()).toEqual([]);
    expect(clientDirs(person)).toEqual([]);
  });

  it('let as many processes be started as were allowed, and no more', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    const forks = 'for i in $(seq 40); do sleep 1 & done; wait';
    await person.kraft('repo', 'connect', repository, '--setup-command', forks, '--no-tests');
    await person.startDaemon();
    limit(person, '{pids: 16}');
    const { item } = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(item.stop?.code).toBe('KRAFT_SETUP_FAILED');
    expect(item.stop?.facts['output_tail']).toMatch(/fork/);
    limit(person, '{pids: 256}');
    const allowed = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(allowed.item.status).toBe('completed');
  });
});

// Which limits a rootless engine enforces is the host's affair. What must not be is one that is neither in force nor refused.
onHosts(['podman-rootless'], 'limits', (host) => {
  it('are refused before anything runs where they would be ignored, and an item without any runs', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connectUntested(repository);
    await person.startDaemon();
    const unlimited = await person.runItem(repository, 'demo: write src/new.txt x');
    expect(unlimited.item.status).toBe('completed');
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
    expect(item.worktree).toBeNull();
    expect(await person.containers()).toEqual([]);
  });
});
