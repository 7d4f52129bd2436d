import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import type { Person, ShownItem } from './support/person.ts';
import { sharePerson } from './support/share-person.ts';

function agentLog(shown: ShownItem): string {
  const session = shown.sessions.find((candidate) => candidate.task.includes('implementation'));
  return session === undefined ? '' : readFileSync(session.logPath, 'utf8');
}

/** What one session left to look at, and what its client looked like while it ran. */
interface Looked {
  readonly shown: ShownItem;
  readonly commandLine: string;
  readonly database: string;
}

async function lookAround(person: Person): Promise<Looked> {
  const repository = await person.sampleRepository();
  await person.connectUntested(repository);
  const config = person.kraftHome + '/config/repos.yaml';
  person.write(
    config,
    readFileSync(config, 'utf8').replace(/^( +)(setup_command:.*)$/m, '$1$2\n$1env_passthrough: [PASSED_TOKEN]'),
  );
  const id = await person.fileItem(
    repository,
    [
      'demo: sh grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs)" /proc/self/status',
      'demo: sh env | sort',
      'demo: sh cat /proc/mounts',
      'demo: sh ls -la /var/run/docker.sock /run/podman 2>&1 || true',
      'demo: sh id -un; echo home=$HOME; cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null || true',
      'demo: sh touch /kraft/results/../escape 2>&1 || true',
      "demo: sh node -e \"console.log(require('os').userInfo().username.length > 0 ? 'passwd-entry' : 'none')\"",
      'demo: wait-for go',
      'demo: write src/new.txt x',
      'demo: commit Look around',
    ].join('\n'),
  );
  await person.kraft('item', 'start', id);
  const started = await person.untilEvent(id, (event) => event.type === 'worker_session_started');
  const commandLine = readFileSync(`/proc/${Number(started.payload['pid'])}/cmdline`, 'utf8');
  const worktree = (await person.show(id)).item.worktree ?? '';
  person.write(`${worktree}/go`, '');
  await person.untilItemRests(id);
  const database = readFileSync(`${person.kraftHome}/run/orchestrator.db`, 'latin1');
  return { shown: await person.show(id), commandLine, database };
}

onHosts(['docker', 'podman'], 'the inside of a worker', (host) => {
  const share = sharePerson(host, { HOST_ONLY_SECRET: 'never-inside-4711', PASSED_TOKEN: 'passed-by-name-0815' });
  let looked: Looked;
  beforeAll(async () => {
    looked = await lookAround(share());
  });

  it('holds no capability, no new privileges, no engine socket and nothing of the host’s environment', () => {
    const { shown } = looked;
    expect(shown.item.stop).toBeNull();
    const log = agentLog(shown);
    expect(log).toMatch(/CapEff:\\?[t\s]+0{16}/);
    expect(log).toMatch(/CapPrm:\\?[t\s]+0{16}/);
    expect(log).toMatch(/CapBnd:\\?[t\s]+0{16}/);
    expect(log).toMatch(/NoNewPrivs:\\?[t\s]+1/);
    expect(log).toContain('home=/kraft/home');
    expect(log).toContain('passwd-entry');
    expect(log).not.toContain('never-inside-4711');
    expect(log).toContain('passed-by-name-0815');
    // No line of /proc/mounts, which the log holds as JSON text, has a socket as its mount point.
    expect(log).not.toMatch(/\\n\S+ \S+\.sock /);
    // Nothing of Kraft's own run directory is there but this session's results and this item's home and store.
    expect(log).not.toContain('orchestrator.db');
    expect(log).not.toContain(`${share().kraftHome}/config`);
  });

  it('passes secrets by name, so that neither the client’s command line nor `inspect` of another tool shows a literal', () => {
    const { shown, commandLine, database } = looked;
    expect(agentLog(shown)).toContain('passed-by-name-0815');
    expect(commandLine).toContain('PASSED_TOKEN');
    expect(commandLine).not.toContain('passed-by-name-0815');
    expect(database).not.toContain('passed-by-name-0815');
  });
});
