import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rm } from 'node:fs/promises';
import type { KraftError } from '../../src/base/index.ts';
import { loadHarnesses } from '../../src/harness/index.ts';

async function configDir(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kraft-harness-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'harnesses'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'harnesses', name), text);
  return dir;
}

async function refusal(files: Readonly<Record<string, string>>): Promise<KraftError> {
  return loadHarnesses(await configDir(files)).then(
    () => expect.unreachable('the files were taken'),
    (error: unknown) => error as KraftError,
  );
}

const base = `kind: cli
command: [my-agent]
capabilities:
  prompt: {cli: ['{value}']}
  context: {channel: prompt}
  usage: {source: result_file}
`;

describe('the packaged harnesses', () => {
  it('are those of six products and demo, and a missing folder of overrides is none', async () => {
    const set = await loadHarnesses('/nonexistent');
    expect([...set.keys()].sort()).toEqual(['amp', 'claude', 'codex', 'cursor', 'demo', 'gemini', 'opencode']);
  });

  it('let only demo say that it follows a script', async () => {
    const set = await loadHarnesses('/nonexistent');
    expect([...set.values()].filter((h) => h.scripted).map((h) => h.id)).toEqual(['demo']);
  });

  it('inject a credential only on hosts that they require', async () => {
    const set = await loadHarnesses('/nonexistent');
    const loose = [...set.values()].flatMap((h) =>
      h.credentials.flatMap((c) => c.inject.filter((i) => !h.networkRequires.includes(i.domain))),
    );
    expect(loose).toEqual([]);
    expect(set.get('gemini')?.credentials[0]?.sentinel).toHaveLength(39);
  });
});

/** What a product would fetch or tell on its own, and what switches it off (CC 4.2, 4.3). */
describe('updaters and reports of the packaged products', () => {
  it.each([
    [
      'claude',
      ['DISABLE_AUTOUPDATER=1', 'DISABLE_UPDATES=1', 'DISABLE_TELEMETRY=1', 'DISABLE_ERROR_REPORTING=1'],
      ['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1'],
    ],
    ['opencode', ['OPENCODE_DISABLE_AUTOUPDATE=1'], ['OPENCODE_DISABLE_SHARE=1']],
    ['amp', ['AMP_SKIP_UPDATE_CHECK=1'], []],
    ['gemini', ['GEMINI_TELEMETRY_ENABLED=false'], ['GEMINI_TELEMETRY_TRACES_ENABLED=false']],
  ])('are switched off by variables: %s', async (id, updates, reports) => {
    const env = (await loadHarnesses('/nonexistent')).get(id)?.env ?? {};
    const pairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    expect(pairs).toEqual(expect.arrayContaining([...updates, ...reports]));
  });

  it('are switched off by arguments: codex', async () => {
    const args = (await loadHarnesses('/nonexistent')).get('codex')?.args ?? [];
    expect(args.filter((arg) => arg !== '-c')).toEqual([
      ...['check_for_update_on_startup=false', 'analytics.enabled=false', 'feedback.enabled=false'],
      ...['otel.exporter="none"', 'otel.metrics_exporter="none"'],
    ]);
  });

  it('are switched off by the settings that win over every other: gemini', async () => {
    const dir = (await loadHarnesses('/nonexistent')).get('gemini')?.configDir;
    expect(dir).toMatchObject({ variable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', names: 'settings.json' });
    expect(JSON.parse(dir?.files['settings.json'] ?? '')).toEqual({
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    });
  });

  it('leave the name of cursor out of commits', async () => {
    const dir = (await loadHarnesses('/nonexistent')).get('cursor')?.configDir;
    expect(dir).toMatchObject({ variable: 'CURSOR_CONFIG_DIR', names: null });
    expect(JSON.parse(dir?.files['cli-config.json'] ?? '')).toMatchObject({
      attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
    });
  });
});

describe('a harness file of a person', () => {
  it('replaces the packaged one of the same stem as a whole', async () => {
    const set = await loadHarnesses(await configDir({ 'claude.yaml': `id: claude\n${base}` }));
    expect(set.get('claude')).toMatchObject({ command: ['my-agent'], credentials: [], scripted: false });
  });

  it('with a new stem is a new harness', async () => {
    const set = await loadHarnesses(await configDir({ 'mine.yaml': `id: mine\n${base}proxy_aware: false\n` }));
    expect(set.get('mine')).toMatchObject({ id: 'mine', proxyAware: false });
    expect(set.size).toBe(8);
  });

  it('whose id is not its stem is refused, with both named and the line', async () => {
    const error = await refusal({ 'mine.yaml': `# mine\nid: other\n${base}` });
    expect(error.code).toBe('KRAFT_HARNESS_ID_MISMATCH');
    expect(error.message).toContain('harnesses/mine.yaml:2');
    expect(error.message).toContain('"other"');
  });

  it.each([
    ['an unknown key near a known one', 'proxy_awar: false\n', 'CONFIG_UNKNOWN_KEY', ':8'],
    ['an unknown key at any distance', 'something_else_entirely: 1\n', 'CONFIG_UNKNOWN_KEY', ':8'],
    ['a key that is written twice', 'kind: gui\n', 'CONFIG', ''],
    ['an empty command for resuming', 'tool_names: {}\nunhooked_tools: []\ncommand_resume: []\n', 'CONFIG', ':10'],
    ['an empty container mode', 'container_permission_mode: ""\n', 'CONFIG', ':8'],
    ['a config file outside its folder', 'config_dir: {env: X, files: {"../x.json": {}}}\n', 'CONFIG', ':8'],
    ['a config folder without files', 'config_dir: {env: X, files: {}}\n', 'CONFIG_BAD_VALUE', ':8'],
    ['a named config file that there is not', 'config_dir: {env: X, names: b, files: {a: 1}}\n', 'CONFIG', ':8'],
    ['a date that is none', 'verified: {version: "1", date: 2026-13, by: runs}\n', 'CONFIG', ':8'],
    [
      'a credential for a host that it does not require',
      'credentials:\n  - {env: KEY, sentinel: s, inject: [{domain: a.example, header: x}]}\n',
      'CONFIG_BAD_VALUE',
      ':9',
    ],
  ])('with %s is refused with its line', async (_what, text, code, line) => {
    const error = await refusal({ 'mine.yaml': `id: mine\n${base}${text}` });
    expect(error.code).toContain(code);
    expect(error.message).toContain(`harnesses/mine.yaml${line}`);
  });

  it.each([
    ['a placeholder that does not exist', "  model: {cli: ['--model', '{modle}']}\n", '{value} and {csv}'],
    ['neither cli nor via', '  model: {values: [a]}\n', 'needs `cli` or `via`'],
    [
      'a default that its own values refuse',
      "  effort: {cli: ['{value}'], values: [low], always: high}\n",
      '`values` refuse',
    ],
    ['values that are no regular expression', "  effort: {cli: ['{value}'], values: ['(']}\n", 'regular expression'],
    ['a hook that the file does not have', '  deny_tools: {via: permission_hook}\n', 'permission_hook'],
  ])('with a capability of %s is refused', async (_what, text, words) => {
    const at = base.indexOf('  prompt');
    const error = await refusal({ 'mine.yaml': `id: mine\n${base.slice(0, at)}${text}${base.slice(at)}` });
    expect(error.message).toContain(words);
    expect(error.message).toContain('harnesses/mine.yaml:5');
  });

  it('has all its problems told, and those of the other files too', async () => {
    const error = await refusal({
      'a.yaml': `id: a\n${base}colour: red\nsize: 1\n`,
      'b.yaml': `id: b\n${base}shape: round\n`,
    });
    expect(error.report.others.map((o) => o.message)).toEqual([
      expect.stringContaining('harnesses/a.yaml:9'),
      expect.stringContaining('harnesses/b.yaml:8'),
    ]);
  });
});

describe('the folder of harness files', () => {
  it('that is no folder is refused', async () => {
    const dir = await configDir({});
    await rm(join(dir, 'harnesses'), { recursive: true });
    await writeFile(join(dir, 'harnesses'), '');
    const error = await loadHarnesses(dir).catch((thrown: unknown) => thrown as KraftError);
    expect(error).toMatchObject({ code: 'KRAFT_HARNESS_FILES_UNREADABLE' });
  });
});
