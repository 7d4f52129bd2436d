import { chmod, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  loadHarnessProfiles,
  loadPolicySettings,
  loadRepos,
  loadSandboxSettings,
  worldReadableEnv,
} from '../../src/config/index.ts';
import { makeHome } from './repos-file.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the packaged examples', () => {
  it('load, without a warning', async () => {
    const paths = await makeHome({
      'repos.yaml': await readFile(join(root, 'repos.yaml.example')),
      'sandbox.yaml': await readFile(join(root, 'sandbox.yaml.example')),
    });
    const { repos, warnings } = await loadRepos(paths);
    expect(warnings).toEqual([]);
    expect(repos.map((repo) => [repo.label, repo.sandbox?.kind])).toEqual([
      ['/home/ada/code/inventory', 'docker'],
      ['billing', 'docker'],
      ['/home/ada/code/gateway', 'docker'],
    ]);
  });

  it('of sandbox.yaml is what holds without the file', async () => {
    const paths = await makeHome({ 'sandbox.yaml': await readFile(join(root, 'sandbox.yaml.example')) });
    expect(await loadSandboxSettings(paths)).toEqual(await loadSandboxSettings(await makeHome({})));
  });
});

const fullEntry = `repos:
  - path: /home/you/code/my-service
    name: my-service
    default_chain_template: default
    forge: github
    test_command: null
    intent_dir: null
    setup_command: "uv sync"
    env: {}
    env_passthrough: []
    local_files: []
    models: {}
    deny_tools: []
    steering: []
    sandbox: null
    policy:
      allowed_tools: [Read, Edit, Bash]
    automated_review:
      bot: coderabbitai
`;

describe('an entry with every documented field', () => {
  it('loads as it stands, and with a sandbox can run', async () => {
    const bare = await loadRepos(await makeHome({ 'repos.yaml': fullEntry }));
    expect(bare).toMatchObject({ repos: [{ sandbox: null, setupCommand: 'uv sync' }], warnings: [] });
    const text = fullEntry.replace('sandbox: null', 'sandbox: {kind: docker, image: kraft-worker:local}');
    const boxed = await loadRepos(await makeHome({ 'repos.yaml': text }));
    expect(boxed.repos[0]).toMatchObject({
      sandbox: { kind: 'docker', image: 'kraft-worker:local', network: null, credentials: [] },
      toolPolicy: { allowedTools: ['Read', 'Edit', 'Bash'] },
      automatedReview: { bot: 'coderabbitai' },
    });
  });
});

describe('sandbox.yaml', () => {
  it('takes a bundle under the home directory', async () => {
    const settings = await loadSandboxSettings(
      await makeHome({ 'sandbox.yaml': 'cli: podman\nca_bundle: ~/ca.pem\n' }),
    );
    expect(settings).toMatchObject({ cli: 'podman', caBundle: join(homedir(), 'ca.pem') });
  });
});

describe('policy.yaml', () => {
  it('has the documented defaults (CC 11)', async () => {
    const settings = await loadPolicySettings(await makeHome({}));
    expect(settings).toMatchObject({ maxConcurrent: 3, diskFloorBytes: 2 * 1024 ** 3, timeCapMinutes: null });
    expect(settings.all).toMatchObject({
      default: { max_attempts: 3, wall_clock_s: 3600 },
      budgets: { work_item_usd: 10, daily_usd: 50 },
      auto_escalate_stuck: true,
      auto_escalate_cap: 3,
      auto_escalate_delay_s: 0,
      auto_review_attempts: 1,
      forge_cli_timeout_s: 120,
      forge_poll_s: 300,
      rate_limit_retries: 5,
    });
  });

  it('is used as written', async () => {
    const text =
      'max_concurrent: 1\ndisk_floor: 500m\ndefaults: {time_cap_minutes: 90}\nmaxima: {time_cap_minutes: 45}\n';
    expect(await loadPolicySettings(await makeHome({ 'policy.yaml': text }))).toMatchObject({
      maxConcurrent: 1,
      diskFloorBytes: 500 * 1024 ** 2,
      timeCapMinutes: 45,
    });
  });
});

describe('harnesses.yaml', () => {
  it('gives profiles with their defaults', async () => {
    const text =
      'harnesses:\n  fast: {provider: claude, defaults: {model: small}}\nprofiles:\n  deep: {model: {claude: big}, fallback: [{harness: codex}]}\n';
    expect(await loadHarnessProfiles(await makeHome({ 'harnesses.yaml': text }))).toEqual({
      harnesses: {
        fast: {
          provider: 'claude',
          enabled: true,
          executable: null,
          model: 'small',
          effort: null,
          permissionMode: null,
        },
      },
      profiles: {
        deep: {
          models: { claude: 'big' },
          effort: null,
          fallback: [{ harness: 'codex', profile: null, model: null, effort: null }],
        },
      },
    });
  });
});

describe('a repos.yaml that others may read', () => {
  it.each([
    ['env: {TOKEN: x}', 0o644, 0o644],
    ['env: {TOKEN: x}', 0o600, null],
    ['env: {}', 0o644, null],
  ])('with %s and mode %o is reported with mode %o', async (env, mode, reported) => {
    const paths = await makeHome({ 'repos.yaml': `repos:\n  - path: /a\n    ${env}\n` });
    await chmod(join(paths.config, 'repos.yaml'), mode);
    const fact = await worldReadableEnv(paths);
    expect(fact?.mode ?? null).toBe(reported);
    expect(fact?.repos ?? []).toEqual(reported === null ? [] : ['/a']);
  });
});

describe('the generated files', () => {
  it('are those that the schemas give', () => {
    const check = (): string =>
      execFileSync(process.execPath, [join(root, 'scripts/generate.mjs'), '--check'], { encoding: 'utf8' });
    expect(check()).toBe('');
  });
});
