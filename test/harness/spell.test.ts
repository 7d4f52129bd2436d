import { describe, expect, it } from 'vitest';
import {
  type AgentOptions,
  type Harness,
  checkProfiles,
  loadHarnesses,
  renderSessionFile,
  selectHarness,
  spellCommand,
} from '../../src/harness/index.ts';

const harnesses = await loadHarnesses('/nonexistent');
const options: AgentOptions = {
  prompt: 'do it',
  context: 'the rules',
  model: null,
  effort: null,
  permissionMode: null,
  writableDirs: [],
  resume: null,
};

function harness(id: string): Harness {
  return harnesses.get(id) ?? expect.unreachable(`no ${id}`);
}

describe('spellCommand', () => {
  it('gives the demo agent context and task in one prompt', () => {
    expect(spellCommand(harness('demo'), options)).toEqual({
      command: ['kraft-demo-agent', '-p', 'the rules\n\ndo it'],
      env: {},
      envNames: [],
      configDir: null,
    });
  });

  it('spells every option of claude, with what is always denied', () => {
    const chosen = { ...options, model: 'opus', effort: 'max', permissionMode: 'plan' };
    expect(spellCommand(harness('claude'), chosen).command).toEqual([
      ...['claude', '--output-format', 'stream-json', '--verbose', '--model', 'opus', '--effort', 'max'],
      ...['--permission-mode', 'plan', '--disallowedTools', 'Monitor'],
      ...['--permission-prompt-tool', 'mcp__kraft__permission_request', '--append-system-prompt', 'the rules'],
      ...['-p', 'do it'],
    ]);
  });

  it('puts the prompt of codex last, behind `--`, and lets its own sandbox be in a container', () => {
    const { command } = spellCommand(harness('codex'), {
      ...options,
      prompt: '--help',
      writableDirs: ['/kraft/results'],
    });
    expect(command.slice(-2)).toEqual(['--', '--help']);
    expect(command).toContain('sandbox_mode=danger-full-access');
    expect(command).toContain('sandbox_workspace_write.writable_roots=["/kraft/results"]');
    expect(command).toContain('developer_instructions=the rules');
  });

  it('passes a chosen permission mode before the one for containers', () => {
    const { command } = spellCommand(harness('codex'), { ...options, permissionMode: 'read-only' });
    expect(command).toContain('sandbox_mode=read-only');
  });

  it('names the credentials of the product and no value', () => {
    expect(spellCommand(harness('codex'), options).envNames).toEqual(['CODEX_API_KEY']);
    expect(spellCommand(harness('claude'), options).envNames).toEqual(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN']);
  });

  it('leaves a value with replacement patterns as it is', () => {
    expect(spellCommand(harness('demo'), { ...options, context: null, prompt: "$& $1 $' {value}" }).command[2]).toBe(
      "$& $1 $' {value}",
    );
  });

  it('refuses an option that the product cannot spell instead of dropping it', () => {
    expect(() => spellCommand(harness('demo'), { ...options, model: 'x' })).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_OPTION_UNSUPPORTED' }),
    );
    expect(() => spellCommand(harness('gemini'), { ...options, effort: 'low' })).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_OPTION_UNSUPPORTED' }),
    );
  });

  it.each([
    ['codex', { model: 'claude-opus' }],
    ['codex', { model: 'xgpt' }],
    ['gemini', { model: 'gpt-5' }],
    ['claude', { effort: 'lowest' }],
    ['gemini', { permissionMode: 'YOLO' }],
  ])('refuses a value that the gate of %s does not match as a whole: %o', (id, wrong) => {
    expect(() => spellCommand(harness(id), { ...options, ...wrong })).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_VALUE_REFUSED' }),
    );
  });
});

describe('a session that is gone on with', () => {
  const session = '01a22e6f-e626-7d20-a860-78bff12764fc';

  it.each([
    ['claude', ['claude', '--resume', session]],
    ['codex', ['codex', 'exec', 'resume', session]],
    ['gemini', ['gemini', '--skip-trust', '--resume', session]],
    ['cursor', ['agent', '-p', '--trust', '--resume', session]],
    ['opencode', ['opencode', 'run', '--session', session]],
    ['amp', ['amp', 'threads', 'continue', session]],
  ])('is named by %s at the front of its command', (id, begin) => {
    const { command } = spellCommand(harness(id), { ...options, resume: session });
    expect(command.slice(0, begin.length)).toEqual(begin);
    expect(command.at(-1)).toContain('do it');
  });

  it('is refused where the product cannot go on', () => {
    expect(() => spellCommand(harness('demo'), { ...options, resume: session })).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_OPTION_UNSUPPORTED' }),
    );
  });

  // It comes from a log that a worker writes.
  it.each(['--config', '-', '', 'a b', 'a/b', '../x', 'a\n', 'ä', 'a'.repeat(129), '{value}', '$(x)', '--dangerous'])(
    'is refused when it could be something else: %j',
    (text) => {
      for (const id of ['claude', 'codex', 'gemini', 'cursor', 'opencode', 'amp'])
        expect(() => spellCommand(harness(id), { ...options, resume: text })).toThrow(
          expect.objectContaining({ code: 'KRAFT_HARNESS_SESSION_REFUSED' }),
        );
    },
  );

  it.each([
    ['claude', session],
    ['codex', session],
    ['gemini', '-01a22e6f.jsonl'],
    ['opencode', 'opencode.db'],
  ])('of %s is known by a file whose name holds %s', (id, text) => {
    expect(renderSessionFile(harness(id), session)).toBe(text);
  });
});

describe('updaters and reports of the products', () => {
  it.each([
    ['claude', ['DISABLE_AUTOUPDATER', 'DISABLE_TELEMETRY', 'DISABLE_ERROR_REPORTING']],
    ['gemini', ['GEMINI_TELEMETRY_ENABLED']],
    ['opencode', ['OPENCODE_DISABLE_AUTOUPDATE']],
    ['amp', ['AMP_SKIP_UPDATE_CHECK']],
  ])('are switched off by the variables of %s', (id, names) => {
    expect(Object.keys(spellCommand(harness(id), options).env)).toEqual(expect.arrayContaining(names));
  });

  it.each([null, 'abc'])(
    'are switched off by arguments of codex, in a new session and one gone on with: %s',
    (resume) => {
      const { command } = spellCommand(harness('codex'), { ...options, resume });
      expect(command).toEqual(expect.arrayContaining(['check_for_update_on_startup=false', 'analytics.enabled=false']));
    },
  );
});

describe('checkProfiles', () => {
  const profile = {
    provider: 'codex',
    enabled: true,
    executable: null,
    model: null,
    effort: null,
    permissionMode: null,
  };
  const tier = { models: { claude: 'opus' }, effort: null, fallback: [] };
  const entry = { harness: null, profile: null, model: null, effort: null };

  it('finds nothing in profiles that the harness files take', () => {
    const profiles = {
      harnesses: { fast: { ...profile, model: 'gpt-5', effort: 'low', permissionMode: 'read-only' } },
      profiles: {
        strong: {
          ...tier,
          fallback: [
            { ...entry, harness: 'fast' },
            { ...entry, profile: 'strong' },
          ],
        },
      },
    };
    expect(checkProfiles(profiles, harnesses)).toEqual([]);
  });

  it('tells every name that there is not, and every value that a harness does not take', () => {
    const profiles = {
      harnesses: {
        lost: { ...profile, provider: 'nobody' },
        wrong: { ...profile, model: 'claude-opus', effort: 'huge' },
        script: { ...profile, provider: 'demo', model: 'm' },
      },
      profiles: {
        strong: {
          models: { codex: 'opus', none: 'x' },
          effort: null,
          fallback: [
            { ...entry, harness: 'gone' },
            { ...entry, profile: 'weak' },
          ],
        },
      },
    };
    const errors = checkProfiles(profiles, harnesses);
    expect(new Set(errors.map((error) => error.code))).toEqual(
      new Set(['KRAFT_PROFILE_NAMES_UNKNOWN', 'KRAFT_PROFILE_VALUE_REFUSED']),
    );
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringContaining('harnesses.lost of harnesses.yaml names the provider "nobody"'),
      expect.stringContaining('harnesses.wrong.defaults of harnesses.yaml sets model "claude-opus"'),
      expect.stringContaining('harnesses.wrong.defaults of harnesses.yaml sets effort "huge"'),
      expect.stringContaining('harnesses.script.defaults of harnesses.yaml sets model "m"'),
      expect.stringContaining('profiles.strong.model of harnesses.yaml sets model "opus"'),
      expect.stringContaining('profiles.strong.model of harnesses.yaml names the harness "none"'),
      expect.stringContaining('profiles.strong.fallback[0] of harnesses.yaml names the harness "gone"'),
      expect.stringContaining('profiles.strong.fallback[1] of harnesses.yaml names the profile "weak"'),
    ]);
  });
});

describe('selectHarness', () => {
  const profile = {
    provider: 'codex',
    enabled: true,
    executable: null,
    model: null,
    effort: null,
    permissionMode: null,
  };

  it('takes a harness id as it is', () => {
    expect(selectHarness('demo', harnesses, {})).toMatchObject({ name: 'demo', harness: { id: 'demo' } });
  });

  it('takes a profile with its executable and its defaults, before a harness of the same name', () => {
    const profiles = { claude: { ...profile, executable: '/opt/codex', model: 'gpt-5' } };
    expect(selectHarness('claude', harnesses, profiles)).toMatchObject({
      harness: { id: 'codex', command: ['/opt/codex', 'exec'] },
      defaults: { model: 'gpt-5', effort: null },
    });
    const { harness: selected } = selectHarness('claude', harnesses, profiles);
    expect(spellCommand(selected, { ...options, resume: 'abc' }).command.slice(0, 4)).toEqual([
      ...['/opt/codex', 'exec', 'resume', 'abc'],
    ]);
  });

  it('refuses a profile that is switched off', () => {
    expect(() => selectHarness('mine', harnesses, { mine: { ...profile, enabled: false } })).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_PROFILE_DISABLED' }),
    );
  });

  it.each(['none', 'constructor', '__proto__'])('refuses a name that means nothing: %s', (name) => {
    expect(() => selectHarness(name, harnesses, {})).toThrow(
      expect.objectContaining({ code: 'KRAFT_HARNESS_UNKNOWN' }),
    );
  });
});
