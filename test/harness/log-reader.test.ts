import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LogReading, loadHarnesses, openLogReader } from '../../src/harness/index.ts';
import { lineSizeMaxBytes } from '../../src/harness/log-readers/lines.ts';

const harnesses = await loadHarnesses('/nonexistent');
const readers = [...harnesses.keys()].filter((id) => id !== 'demo');

function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, '../fixtures/harness', `${name}.ndjson`));
}

function open(id: string, before: LogReading | null = null): NonNullable<ReturnType<typeof openLogReader>> {
  const harness = harnesses.get(id) ?? expect.unreachable(`no ${id}`);
  return openLogReader(harness, before) ?? expect.unreachable(`${id} has no reader`);
}

function read(id: string, log: Buffer | string, before: LogReading | null = null): LogReading {
  const reader = open(id, before);
  reader.push(Buffer.from(log));
  reader.push(Buffer.from('\n'));
  return reader.reading;
}

const nothing: LogReading = {
  ...{ agentSession: null, model: null, costUsd: null, rateLimit: null },
  ...{ inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

// The provider answers twice: 100 tokens of prompt (the Messages protocol besides 40 read from and 7 written to its cache,
// the others 40 of the 100), and 20 of answer. Prices are those that the products know.
const messages = { inputTokens: 200, outputTokens: 40, cacheReadTokens: 80, cacheWriteTokens: 14 };
const responses = { inputTokens: 120, outputTokens: 40, cacheReadTokens: 80, cacheWriteTokens: 0 };

describe('a log reader', () => {
  it.each<[string, string, Partial<LogReading>]>([
    ['claude', 'claude-2.1.332-done', { ...messages, costUsd: 0.001686, model: 'claude-sonnet-4-5' }],
    ['claude', 'claude-2.1.332-resumed', { ...messages, costUsd: 0.001686, model: 'claude-sonnet-4-5' }],
    ['codex', 'codex-0.171.0-done', { ...responses, costUsd: null, model: null }],
    ['gemini', 'gemini-0.61.0-done', { ...responses, costUsd: null, model: 'gemini-2.5-pro' }],
    ['gemini', 'gemini-0.61.0-resumed', { ...responses, costUsd: null, model: 'gemini-2.5-pro' }],
    ['opencode', 'opencode-1.18.33-done', { ...messages, costUsd: 0.0012765, model: null }],
    ['opencode', 'opencode-1.18.33-resumed', { ...messages, costUsd: 0.0012765, model: null }],
    ['cursor', 'cursor-documented-done', { ...messages, costUsd: null, model: 'Claude 4.5 Sonnet' }],
    ['amp', 'amp-documented-done', { ...messages, costUsd: null, model: null }],
  ])('of %s counts what %s took, and no earlier run of its session', (id, name, expected) => {
    expect(read(id, fixture(name))).toMatchObject({ ...expected, rateLimit: null });
  });

  it('of codex subtracts what the earlier sessions of its thread have taken', () => {
    const first = read('codex', fixture('codex-0.171.0-done'));
    expect(read('codex', fixture('codex-0.171.0-resumed'))).toMatchObject({ inputTokens: 240, outputTokens: 80 });
    expect(read('codex', fixture('codex-0.171.0-resumed'), first)).toMatchObject(responses);
    expect(read('codex', fixture('codex-0.171.0-resumed')).agentSession).toBe(first.agentSession);
  });

  it.each([
    ['claude', 'claude-2.1.332-done', /^[\da-f-]{36}$/u],
    ['codex', 'codex-0.171.0-done', /^[\da-f-]{36}$/u],
    ['gemini', 'gemini-0.61.0-done', /^[\da-f-]{36}$/u],
    ['opencode', 'opencode-1.18.33-done', /^ses_\w+$/u],
    ['cursor', 'cursor-documented-done', /^[\da-f-]{36}$/u],
    ['amp', 'amp-documented-done', /^T-[\da-f-]{36}$/u],
  ])('of %s names the session to go on with in %s', (id, name, form) => {
    expect(read(id, fixture(name)).agentSession).toMatch(form);
  });

  it.each([
    ['claude', 'claude-subscription-2.1.332-limited', '2026-12-24T12:00:00.000Z', '5-hour limit'],
    ['claude', 'claude-2.1.332-limited', null, '429'],
    ['codex', 'codex-0.171.0-limited', null, 'usage limit'],
    ['gemini', 'gemini-0.61.0-limited', null, 'quota'],
    ['opencode', 'opencode-1.18.33-limited', null, 'rate limit'],
    ['amp', 'amp-documented-limited', null, 'rate limit'],
  ])('of %s sees in %s that its provider is limited, until %s', (id, name, resetsAt, words) => {
    const { rateLimit } = read(id, fixture(name));
    expect(rateLimit).toEqual({ resetsAt, reason: expect.stringContaining(words) as unknown });
  });

  it('of opencode takes no limit of a side question for one of the task', () => {
    const lines = fixture('opencode-1.18.33-limited').toString('utf8').split('\n');
    const side = lines.filter((line) => line.includes('small=true'));
    expect(side).toHaveLength(1);
    expect(read('opencode', side.join('\n')).rateLimit).toBeNull();
  });

  it.each([
    ['claude', 'claude-2.1.332-limited', 'claude-2.1.332-done'],
    ['codex', 'codex-0.171.0-limited', 'codex-0.171.0-done'],
    ['gemini', 'gemini-0.61.0-limited', 'gemini-0.61.0-done'],
    ['opencode', 'opencode-1.18.33-limited', 'opencode-1.18.33-done'],
    ['amp', 'amp-documented-limited', 'amp-documented-done'],
  ])('of %s forgets a limit once an answer has come', (id, limited, done) => {
    expect(read(id, Buffer.concat([fixture(limited), Buffer.from('\n'), fixture(done)])).rateLimit).toBeNull();
  });

  it('of claude counts a message once, whose usage several events repeat, also where two of them mix', () => {
    const event = (id: string, output: number): string =>
      JSON.stringify({ type: 'assistant', message: { id, usage: { input_tokens: 10, output_tokens: output } } });
    const log = [event('a', 1), event('b', 1), event('a', 1), event('b', 5)].join('\n');
    expect(read('claude', log)).toMatchObject({ inputTokens: 20, outputTokens: 6 });
  });

  it('is none where usage comes from the result file', () => {
    expect(openLogReader(harnesses.get('demo') ?? expect.unreachable('no demo'), null)).toBeNull();
  });
});

/** Numbers that repeat themselves from run to run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function expectSane(reading: LogReading): void {
  const counts = [reading.inputTokens, reading.outputTokens, reading.cacheReadTokens, reading.cacheWriteTokens];
  for (const count of counts) {
    expect(Number.isSafeInteger(count)).toBe(true);
    expect(count).toBeGreaterThanOrEqual(0);
  }
  expect(reading.costUsd === null || (reading.costUsd >= 0 && reading.costUsd <= 1e6)).toBe(true);
  expect(reading.agentSession ?? 'none').toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/u);
  expect((reading.model ?? '').length).toBeLessThanOrEqual(200);
  expect((reading.rateLimit?.reason ?? '').length).toBeLessThanOrEqual(2000);
  expect(Number.isNaN(Date.parse(reading.rateLimit?.resetsAt ?? '2026-01-01'))).toBe(false);
}

const fixtures: Readonly<Record<string, readonly string[]>> = {
  claude: ['claude-2.1.332-done', 'claude-subscription-2.1.332-limited'],
  codex: ['codex-0.171.0-done', 'codex-0.171.0-limited'],
  gemini: ['gemini-0.61.0-done', 'gemini-0.61.0-limited'],
  opencode: ['opencode-1.18.33-done', 'opencode-1.18.33-limited'],
  cursor: ['cursor-documented-done'],
  amp: ['amp-documented-done', 'amp-documented-limited'],
};

const hostile = ['-1', '-1e300', '1e999', '1e300', '9007199254740993', '0.5', 'null', '"7"', '[]', '{}', 'true'];
const hostileTexts = ['"--config"', '"../../x"', '"a b"', '"\\u001b[2J"', '"\\u0000"', `"${'x'.repeat(5000)}"`, '""'];

// AR 11: the worker writes the log.
describe.each(readers)('the log reader of %s, whatever it is given,', (id) => {
  const whole = Buffer.concat((fixtures[id] ?? []).map((name) => Buffer.concat([fixture(name), Buffer.from('\n')])));

  it('reads the same in pieces of any size', () => {
    const next = randomNumbers(7);
    const expected = read(id, whole);
    const bytewise = open(id);
    for (const byte of whole) bytewise.push(Uint8Array.of(byte));
    expect(bytewise.reading).toEqual(expected);
    for (let round = 0; round < 5; round++) {
      const reader = open(id);
      // One buffer, used again: nothing of it may be kept.
      const buffer = Buffer.alloc(500);
      for (let at = 0; at < whole.length;) {
        const size = whole.copy(buffer, 0, at, at + 1 + next(499));
        reader.push(buffer.subarray(0, size));
        at += size;
      }
      expect(reader.reading).toEqual(expected);
    }
  });

  it('never throws and stays sane with bytes that are changed, cut and mixed up', () => {
    const next = randomNumbers(11);
    for (let round = 0; round < 150; round++) {
      const mutated = Buffer.from(whole);
      for (let change = next(30); change >= 0; change--) mutated[next(mutated.length)] = next(256);
      const from = next(mutated.length);
      expectSane(read(id, Buffer.concat([mutated.subarray(from), mutated.subarray(0, from)])));
    }
  });

  it('takes nonsense for nothing: numbers, texts and types that no product writes', () => {
    const text = whole.toString('utf8');
    for (const value of hostile) {
      expectSane(read(id, text.replaceAll(/(?<=":)-?\d[\d.e+-]*(?=[,}\]])/gu, value)));
    }
    for (const value of hostileTexts) {
      const swapped = text.replaceAll(/(?<="(?:session_id|thread_id|sessionID|model|message)":)"[^"]*"/gu, value);
      const reading = read(id, swapped);
      expectSane(reading);
      expect(reading.agentSession).toBeNull();
    }
  });

  it('lets no line take back what another has told', () => {
    const next = randomNumbers(3);
    const lines = whole.toString('utf8').split('\n');
    const reader = open(id);
    let before = reader.reading;
    for (let round = 0; round < 300; round++) {
      const line = (lines[next(lines.length)] ?? '').replaceAll(/(?<=":)\d+(?=[,}\]])/gu, () => String(next(500)));
      reader.push(Buffer.from(`${line}\n`));
      const { reading } = reader;
      expect(reading.inputTokens).toBeGreaterThanOrEqual(before.inputTokens);
      expect(reading.outputTokens).toBeGreaterThanOrEqual(before.outputTokens);
      expect(reading.costUsd ?? 0).toBeGreaterThanOrEqual(before.costUsd ?? 0);
      before = reading;
    }
  });

  it('skips a line that is longer than it holds, and reads the next', () => {
    const reader = open(id);
    const long = Buffer.alloc(lineSizeMaxBytes, '{');
    for (let piece = 0; piece < 4; piece++) reader.push(long);
    reader.push(Buffer.from(`${'['.repeat(1000)}\n`));
    expect(reader.reading).toEqual(nothing);
    reader.push(whole);
    expect(reader.reading).toEqual(read(id, whole));
  });

  it('survives nesting that is as deep as a line allows', () => {
    const deep = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);
    expect(read(id, `${deep}\n{"type":${'['.repeat(200_000)}`)).toEqual(nothing);
  });
});
