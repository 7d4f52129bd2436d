import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KraftError, type ErrorReport } from '../../src/base/index.ts';
import {
  loadHarnessProfiles,
  loadPolicySettings,
  loadRepos,
  loadSandboxSettings,
  type HomePaths,
} from '../../src/config/index.ts';
import { entry, reposRows, type Row } from './malformed-repos.ts';
import { makeHome } from './repos-file.ts';

async function failure(load: (paths: HomePaths) => Promise<unknown>, paths: HomePaths): Promise<ErrorReport> {
  try {
    await load(paths);
  } catch (error) {
    if (error instanceof KraftError) return error.report;
    throw error;
  }
  throw new Error('it loaded');
}

const sandboxRows: readonly Row[] = [
  ['another engine', '# c\ncli: nerdctl\n', 2, 'CONFIG_BAD_VALUE', /cli must be docker or podman/],
  ['another answer to SELinux', 'selinux: off\n', 1, 'CONFIG_BAD_VALUE', /auto or relabel or disable/],
  [
    'a relative bundle',
    'cli: null\nca_bundle: certs/a.pem\n',
    2,
    'CONFIG_BAD_VALUE',
    /ca_bundle must be an absolute path/,
  ],
  ["another user's home", 'ca_bundle: ~ada/a.pem\n', 1, 'CONFIG_BAD_VALUE', /absolute path/],
  ['an empty relay image', 'relay_image: ""\n', 1, 'CONFIG_BAD_VALUE', /relay_image/],
  ['a bad service', 'credentials:\n  A_b: X\n', 2, 'CONFIG_BAD_VALUE', /lower-case/],
  ['a bad variable', 'credentials:\n  a: 1X\n', 2, 'CONFIG_BAD_VALUE', /variable name/],
  ['an unknown key', 'ca_bundel: /x\n', 1, 'CONFIG_UNKNOWN_KEY', /ca_bundel.*ca_bundle/],
  ['a far unknown key', 'frobnicate: 1\n', 1, 'CONFIG_UNKNOWN_KEY', /frobnicate/],
  ['a list of engines', 'cli: [docker]\n', 1, 'CONFIG_BAD_VALUE', /cli must be docker or podman/],
  ['a number as a bundle', 'ca_bundle: 7\n', 1, 'CONFIG_WRONG_TYPE', /ca_bundle must be a string/],
  ['an empty bundle', 'ca_bundle: ""\n', 1, 'CONFIG_BAD_VALUE', /ca_bundle/],
  ['a number as a relay image', 'relay_image: 7\n', 1, 'CONFIG_WRONG_TYPE', /relay_image must be a string/],
  ['a list of services', 'credentials: [a]\n', 1, 'CONFIG_WRONG_TYPE', /credentials must be a mapping/],
  ['a list', '- a\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
  ['not YAML', 'cli: "docker\n', 2, 'CONFIG_NOT_YAML', /closing quote/],
];

const policyRows: readonly Row[] = [
  ['no slot', 'max_concurrent: 0\n', 1, 'CONFIG_BAD_VALUE', /max_concurrent must be at least 1/],
  ['a string for a number', 'max_concurrent: "3"\n', 1, 'CONFIG_WRONG_TYPE', /must be a number/],
  ['a fraction of a slot', 'max_concurrent: 1.5\n', 1, 'CONFIG_WRONG_TYPE', /max_concurrent must be a whole number/],
  ['a number for a size', 'disk_floor: 5\n', 1, 'CONFIG_WRONG_TYPE', /disk_floor must be a string/],
  ['defaults as a list', 'defaults: []\n', 1, 'CONFIG_WRONG_TYPE', /defaults must be a mapping/],
  ['an unknown grant', 'defaults: {grants: [x]}\n', 1, 'CONFIG_BAD_VALUE', /git-commit or git-rebase or git-push/],
  [
    'a cap of zero',
    'defaults: {timeout_minutes: 0}\n',
    1,
    'CONFIG_BAD_VALUE',
    /timeout_minutes must be greater than 0/,
  ],
  ['attempts below none', 'maxima: {max_attempts: -1}\n', 1, 'CONFIG_BAD_VALUE', /max_attempts must be at least 1/],
  ['a rule as a tool', 'maxima: {deny_tools: ["Bash(x)"]}\n', 1, 'CONFIG_BAD_VALUE', /name of one tool/],
  ['an unknown key of the default loop', 'default: {tries: 1}\n', 1, 'CONFIG_UNKNOWN_KEY', /default.*tries/],
  ['a loop of a bad node', 'loops: {"A b": {fix_loop: {}}}\n', 1, 'CONFIG_BAD_VALUE', /lower-case/],
  ['a fraction of a retry', 'rate_limit_retries: 1.5\n', 1, 'CONFIG_WRONG_TYPE', /whole number/],
  ['retries below none', 'auto_escalate_cap: -1\n', 1, 'CONFIG_BAD_VALUE', /auto_escalate_cap must be at least 0/],
  [
    'no time for the forge',
    'forge_cli_timeout_s: 0\n',
    1,
    'CONFIG_BAD_VALUE',
    /forge_cli_timeout_s must be greater than 0/,
  ],
  ['a delay below none', 'auto_escalate_delay_s: -1\n', 1, 'CONFIG_BAD_VALUE', /auto_escalate_delay_s/],
  ['not YAML', 'defaults: {\n', 2, 'CONFIG_NOT_YAML', /^policy\.yaml:2: /],
  ['a duplicate key', 'default: {}\ndefault: {}\n', 2, 'CONFIG_NOT_YAML', /default is written twice/],
  ['a size of another unit', 'disk_floor: 2gb\n', 1, 'CONFIG_BAD_VALUE', /disk_floor must be a whole number/],
  [
    'a sandbox among the defaults',
    'defaults:\n  sandbox: {kind: docker, image: x}\n',
    2,
    'CONFIG_UNKNOWN_KEY',
    /sandbox/,
  ],
  [
    'a misspelt maximum',
    'maxima:\n  time_cap_minute: 5\n',
    2,
    'CONFIG_UNKNOWN_KEY',
    /time_cap_minute.*time_cap_minutes/,
  ],
  ['an unknown key', 'frobnicate: 1\n', 1, 'CONFIG_UNKNOWN_KEY', /frobnicate/],
  ['an unknown key of a loop', 'loops:\n  verify:\n    fixloop: {}\n', 3, 'CONFIG_UNKNOWN_KEY', /fixloop.*fix_loop/],
  ['an unknown budget', 'budgets: {weekly_usd: 1}\n', 1, 'CONFIG_UNKNOWN_KEY', /weekly_usd/],
  ['a negative budget', 'budgets: {daily_usd: -1}\n', 1, 'CONFIG_BAD_VALUE', /greater than 0/],
  ['a string for a boolean', 'auto_escalate_stuck: yes\n', 1, 'CONFIG_WRONG_TYPE', /boolean/],
  ['a scalar', 'x\n', 1, 'CONFIG_WRONG_TYPE', /mapping at the top level/],
];

const harnessRows: readonly Row[] = [
  ['no provider', 'harnesses:\n  fast: {}\n', 2, 'CONFIG_MISSING_KEY', /harnesses\.fast\.provider is missing/],
  [
    'an unknown default',
    'harnesses:\n  fast:\n    provider: claude\n    defaults: {modle: x}\n',
    4,
    'CONFIG_UNKNOWN_KEY',
    /modle.*model/,
  ],
  ['a tier without models', 'profiles:\n  deep: {effort: high}\n', 2, 'CONFIG_MISSING_KEY', /model is missing/],
  [
    'an empty fallback',
    'profiles:\n  deep:\n    model: {claude: x}\n    fallback: [{}]\n',
    4,
    'CONFIG_BAD_VALUE',
    /must name a harness/,
  ],
  [
    'a fallback with two routes',
    'profiles:\n  deep:\n    model: {claude: x}\n    fallback: [{profile: a, model: b}]\n',
    4,
    'CONFIG_BAD_VALUE',
    /profile, which sets model/,
  ],
];

describe.each([
  ['repos.yaml', loadRepos, reposRows],
  ['sandbox.yaml', loadSandboxSettings, sandboxRows],
  ['policy.yaml', loadPolicySettings, policyRows],
  ['harnesses.yaml', loadHarnessProfiles, harnessRows],
] as const)('a malformed %s', (file, load, rows) => {
  it.each(rows)('is refused for %s', async (...[, text, line, code, message]) => {
    const report = await failure(load, await makeHome({ [file]: text }));
    expect(report).toMatchObject({ code: `KRAFT_${code}`, kind: 'config', details: { file, line }, others: [] });
    expect(report.message).toMatch(message);
    expect(report.message).not.toContain('\n');
    expect(report.message.startsWith(`${file}:${line}: `)).toBe(true);
    expect(report.remedy).not.toBe('');
  });

  it('is refused when it is not UTF-8, naming the line', async () => {
    const paths = await makeHome({ [file]: Buffer.from([0x23, 0x0a, 0x61, 0x3a, 0x20, 0xff, 0x0a]) });
    const report = await failure(load, paths);
    expect(report).toMatchObject({ code: 'KRAFT_CONFIG_NOT_YAML', details: { line: 2 } });
    expect(report.message).toContain('UTF-8');
  });

  it('is refused when it is a directory', async () => {
    const paths = await makeHome({ 'other.yaml': '' });
    await mkdir(join(paths.config, file));
    expect(await failure(load, paths)).toMatchObject({ code: 'KRAFT_CONFIG_UNREADABLE', details: { file } });
  });

  it('is refused, and not waited for, when it is a pipe', async () => {
    const paths = await makeHome({ 'other.yaml': '' });
    execFileSync('mkfifo', [join(paths.config, file)]);
    expect(await failure(load, paths)).toMatchObject({ code: 'KRAFT_CONFIG_UNREADABLE', details: { file } });
  });

  it('reads as its defaults when it is missing or empty', async () => {
    const missing = await load(await makeHome({}));
    expect(await load(await makeHome({ [file]: '' }))).toEqual(missing);
    expect(await load(await makeHome({ [file]: '# nothing yet\n' }))).toEqual(missing);
  });
});

describe('the problems of a file', () => {
  it('are gathered, in the order of the lines, and the first is the message', async () => {
    const text =
      'repos:\n  - path: a\n    nmae: x\n    enabled: "no"\n    sandbox: {kind: docker}\n  - path: /b\n    id: X\n';
    const report = await failure(loadRepos, await makeHome({ 'repos.yaml': text }));
    const lines = [report, ...report.others].map((r) => r.details['line']);
    expect(lines).toEqual([2, 3, 4, 5, 7]);
  });

  it('never quote a value of env', async () => {
    const text = 'repos:\n  - path: /a\n    env:\n      TOKEN: hunter2\n      TOKEN: hunter2\n      B: [hunter2]\n';
    const duplicate = await failure(loadRepos, await makeHome({ 'repos.yaml': text }));
    const wrong = await failure(
      loadRepos,
      await makeHome({ 'repos.yaml': text.replace('TOKEN: hunter2\n      ', '') }),
    );
    expect(JSON.stringify([duplicate, wrong])).not.toContain('hunter2');
  });

  it('of policy.yaml stop repos.yaml too: nothing runs under half a policy', async () => {
    const paths = await makeHome({ 'repos.yaml': 'repos: []\n', 'policy.yaml': 'maxima: {deny_tool: [Bash]}\n' });
    expect(await failure(loadRepos, paths)).toMatchObject({ details: { file: 'policy.yaml' } });
  });

  it('name an escalation harness that policy.yaml does not allow', async () => {
    const paths = await makeHome({
      'repos.yaml': entry('policy: {escalation_harness: codex}'),
      'policy.yaml': 'maxima: {escalation_harness: claude}\n',
    });
    const report = await failure(loadRepos, paths);
    expect(report).toMatchObject({ code: 'KRAFT_CONFIG_POLICY_CONFLICT', details: { line: 3 } });
  });
});
