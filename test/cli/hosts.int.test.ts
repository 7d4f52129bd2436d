import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliUser } from '../support/run-cli.ts';

let user: CliUser;
let repo: string;
const reposFile = (): string => join(user.home, 'config', 'repos.yaml');

beforeEach(() => {
  user = new CliUser();
  repo = join(user.dir, 'app');
  mkdirSync(join(user.home, 'config'), { recursive: true, mode: 0o700 });
  mkdirSync(join(repo, 'src'), { recursive: true });
  const entry = `repos:
  - path: ${repo}
    name: app
    sandbox:
      kind: docker
      image: i:1
      network:
        runtime: {allow: [10.0.0.5]} # mine
`;
  writeFileSync(reposFile(), entry);
});
afterEach(() => user[Symbol.asyncDispose]());

describe('kraft repo check-host', () => {
  it('ends with 0 for what is allowed and with 3 for what is not, and says which entry decides', async () => {
    expect(await user.kraft(['repo', 'check-host', '10.0.0.5', '--repo', repo])).toMatchObject({
      exitCode: 0,
      stdout: 'allowed: 10.0.0.5:443 in the runtime phase of app: on the allow list (10.0.0.5).\n',
    });
    const refused = await user.kraft(['repo', 'check-host', 'a.example:80', '--repo', 'app', '--phase', 'install']);
    expect(refused).toMatchObject({ exitCode: 3, stderr: '' });
    expect(refused.stdout).toBe(
      'refused: a.example:80 in the install phase of app: not on the allow list.\n' +
        `  \`kraft repo allow a.example:80 --phase install --repo ${repo}\` allows it.\n`,
    );
  });

  it('takes the repository of the working directory, and gives programs the verdict', async () => {
    const end = await user.kraft(['repo', 'check-host', 'a.example', '--no-resolve', '--json'], {
      cwd: join(repo, 'src'),
    });
    expect(end.exitCode).toBe(3);
    expect(JSON.parse(end.stdout)).toEqual({
      allow: false,
      reason: 'not on the allow list',
      rule: null,
      host: 'a.example',
      port: 443,
      phase: 'runtime',
    });
  });

  it('ends with 2 for a phase that does not exist, and with 1 for what is no host', async () => {
    const phase = await user.kraft(['repo', 'check-host', 'a.example', '--phase', 'build'], { cwd: repo });
    expect(phase).toMatchObject({ exitCode: 2, stdout: '' });
    expect(phase.stderr).toContain('`install` or `runtime`');
    const host = await user.kraft(['repo', 'check-host', '0x7f000001'], { cwd: repo });
    expect(host).toMatchObject({ exitCode: 1, stdout: '' });
    expect(host.stderr).toContain('KRAFT_HOST_MALFORMED');
  });
});

describe('kraft repo allow and deny', () => {
  it('write the file, keep its comments, and say what they did', async () => {
    const first = await user.must(['repo', 'allow', 'A.example:443', '10.0.0.5'], { cwd: repo });
    expect(first).toBe(
      'allowed: a.example:443\nalready allowed: 10.0.0.5\nWritten for the runtime phase of app. ' +
        'A stopped item takes it up with `kraft item retry ID`.\n',
    );
    expect(readFileSync(reposFile(), 'utf8')).toContain('runtime: {allow: [10.0.0.5, a.example:443]} # mine\n');
    expect(await user.must(['repo', 'allow', 'a.example:443'], { cwd: repo })).toContain('Nothing to write');
    const denied = await user.must(['repo', 'deny', 'a.example:443', '*.example', '--json'], { cwd: repo });
    expect(JSON.parse(denied)).toEqual({
      path: repo,
      label: 'app',
      list: 'deny',
      phase: 'runtime',
      added: ['a.example:443', '*.example'],
      present: [],
      moved: ['a.example:443'],
      denied: [],
    });
    expect(await user.must(['repo', 'allow', 'b.example'], { cwd: repo })).toContain(
      'warning: b.example stays refused: *.example stands on the deny list, which wins.',
    );
  });

  it('write nothing when one of the hosts is none', async () => {
    const before = readFileSync(reposFile(), 'utf8');
    const end = await user.kraft(['repo', 'allow', 'a.example', 'https://b.example/x'], { cwd: repo });
    expect(end).toMatchObject({ exitCode: 1, stdout: '' });
    expect(end.stderr).toContain('Write the host alone: `b.example`');
    expect(readFileSync(reposFile(), 'utf8')).toBe(before);
  });
});
