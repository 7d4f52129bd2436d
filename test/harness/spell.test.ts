import { describe, expect, it } from 'vitest';
import {
  type AgentOptions,
  type Harness,
  loadHarnesses,
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
