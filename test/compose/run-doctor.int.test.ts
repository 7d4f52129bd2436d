import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDoctor } from '../../src/compose/index.ts';

let dir = '';
let log = '';

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'kd-')));
  log = join(dir, 'git.log');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A PATH with git alone, one that writes down where it works and which command it is asked for. */
function recordGit(): string {
  const git = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const record = `#!/bin/sh\necho "\${GIT_DIR:-$PWD/.git} $1" >>${log}\nexec ${git} "$@"\n`;
  writeFileSync(join(bin, 'git'), record, { mode: 0o755 });
  return bin;
}

function connectTwo(): readonly string[] {
  const paths = ['one', 'two'].map((name) => join(dir, name));
  for (const path of paths) {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', env: { ...process.env, HOME: dir } });
    git('init', '-q', '-b', 'main', path);
    for (const [key, value] of [
      ['user.name', 'Ann'],
      ['user.email', 'ann@example.org'],
    ] as const)
      git('-C', path, 'config', key, value);
    git('-C', path, 'commit', '-q', '--allow-empty', '-m', 'Start');
  }
  mkdirSync(join(dir, 'kraft', 'config'), { recursive: true, mode: 0o700 });
  const entries = paths.map(
    (path) =>
      `  - path: ${path}\n    name: ${basename(path)}\n    setup_command: ""\n    test_scopes: [{paths: ["**"], command: npm test}]\n` +
      '    sandbox: {kind: docker, image: example.org/worker}\n',
  );
  writeFileSync(join(dir, 'kraft', 'config', 'repos.yaml'), `repos:\n${entries.join('')}`, { mode: 0o600 });
  return paths;
}

describe('doctor', () => {
  it('asks git four times of each repository, whatever its rows need of it', async () => {
    const paths = connectTwo();
    const variables = { KRAFT_HOME: join(dir, 'kraft'), HOME: dir, PATH: recordGit() };

    const report = await runDoctor({ variables, cwd: dir, version: '1', personUmask: 0o022 });

    const rows = Object.fromEntries(report.rows.map((row) => [row.name, row.outcome]));
    expect(rows).toMatchObject({ 'repo one': 'ok', 'repo two': 'ok', 'setup one': 'ok', 'tests two': 'ok' });
    const calls = readFileSync(log, 'utf8').trimEnd().split('\n');
    for (const path of paths) {
      const asked = calls.filter((call) => call.startsWith(`${path}/.git `)).map((call) => call.split(' ')[1]);
      expect(asked.sort()).toEqual(['cat-file', 'config', 'grep', 'rev-parse']);
    }
    // Besides, once for all of them: its version.
    expect(calls).toHaveLength(4 * paths.length + 1);
  });
});
