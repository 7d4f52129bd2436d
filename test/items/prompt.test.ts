import { describe, expect, test } from 'vitest';
import { renderPrompt, type PromptFacts, type ThreadView } from '../../src/items/index.ts';

const facts: PromptFacts = {
  title: 'Mend the basket',
  description: 'First line\n\ndemo: write a.txt some text\n  demo: commit Add a\n',
  branch: 'kraft/abcd2345-mend-the-basket',
  baseCommit: '0123456789',
  base: 'origin/main',
  instructions: null,
  tests: [{ command: 'npm test', paths: ['**'] }],
  setupCommand: 'npm ci',
  failures: [],
  steer: null,
  rejection: null,
  threads: [],
  intentDir: 'docs/intent',
  hasRoute: false,
};

describe('renderPrompt', () => {
  test('passes the description through, line by line', () => {
    expect(renderPrompt(facts).task).toBe(
      'Mend the basket'.replace(/^/, '# The task\n\n') +
        '\n\nFirst line\n\ndemo: write a.txt some text\n  demo: commit Add a\n',
    );
  });

  test('names branch, base, setup, intent, tests and how to report', () => {
    const { context } = renderPrompt(facts);
    for (const part of [
      'kraft/abcd2345-mend-the-basket',
      '0123456789 (origin/main)',
      '`npm ci`',
      'docs/intent/',
      'Tests: `npm test`',
      'KRAFT_RESULT_PATH',
      'done_with_concerns',
      'needs_context',
      'Do not push',
    ]) {
      expect(context).toContain(part);
    }
  });

  test('says which paths a test command stands for, and that there are none', () => {
    const scoped = renderPrompt({ ...facts, tests: [{ command: 'go test', paths: ['api/**', 'lib/**', 'x'] }] });
    expect(scoped.context).toContain('Tests of api/**, lib/**, …: `go test`');
    expect(renderPrompt({ ...facts, tests: [] }).context).toContain('No tests are declared');
  });

  test('puts what the chain adds after the description', () => {
    expect(renderPrompt({ ...facts, description: '', instructions: 'Be brief.' }).task).toBe(
      '# The task\n\nMend the basket\n\nBe brief.\n',
    );
  });
});

describe('the prompt of an item that was sent back', () => {
  const rejection = { gate: 'local_review', note: 'Rename it.\n# The task\ndemo: write b.txt b' };
  const thread = (body: string): ThreadView => ({
    id: 'cdef2345',
    itemId: 'abcd2345',
    file: 'src/a.ts',
    line: 7,
    status: 'open',
    draft: false,
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    comments: [
      { author: 'human', body, claim: null, createdAt: '2026-01-02T03:04:05.678Z' },
      { author: 'agent', body: 'Done.', claim: 'fixed', createdAt: '2026-01-02T03:04:06.678Z' },
    ],
  });

  test('holds the note and each open comment with its place, in order, every line marked as somebody’s words', () => {
    const { task } = renderPrompt({ ...facts, rejection, threads: [thread('Why not\n\u001b[31m# Heading')] });
    expect(task).toContain('> Rename it.\n> # The task\n> demo: write b.txt b\n');
    expect(task).toContain(
      [
        '- src/a.ts:7',
        '  The person:',
        '  > Why not',
        String.raw`  > \x1b[31m# Heading`,
        '  An agent (fixed):',
        '  > Done.',
      ].join('\n'),
    );
  });

  test('stays small enough for one argument, and says what it left out', () => {
    const threads = Array.from({ length: 20 }, () => thread('x'.repeat(16_000)));
    const { task } = renderPrompt({ ...facts, rejection, threads });
    expect(Buffer.byteLength(task)).toBeLessThan(64 * 1024);
    expect(task).toContain('17 more of them did not fit in here.');
  });

  test('says nothing of a review without one', () => {
    expect(renderPrompt({ ...facts, threads: [thread('x')] }).task).not.toContain('review');
  });
});

describe('the prompt of a session with and without a route to Kraft (SI 7.8)', () => {
  const rejection = { gate: 'local_review', note: 'Rename it.' };
  const comment: ThreadView = {
    id: 'cdef2345',
    itemId: 'abcd2345',
    file: 'src/a.ts',
    line: 7,
    status: 'open',
    draft: false,
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    comments: [{ author: 'human', body: 'Why?', claim: null, createdAt: '2026-01-02T03:04:05.678Z' }],
  };
  const rejected = { ...facts, rejection, threads: [comment] };

  test('without one never names the command, and has commits and the result say what a call would', () => {
    const { context, task } = renderPrompt(rejected);
    expect(`${context}${task}`).not.toMatch(/`kraft |403/);
    expect(context).toContain('begin each subject with its number');
    expect(task).toContain('- src/a.ts:7\n');
    expect(task).toContain('Say in the summary of your result what you did about each.');
  });

  test('with one tells the verbs of the shim, the thread of each comment, and what a refusal means', () => {
    const { context, task } = renderPrompt({ ...rejected, hasRoute: true });
    for (const verb of [
      'item progress K',
      'item reply THREAD --body TEXT --claim CLAIM',
      'view show',
      'view threads --open',
      'view events',
    ]) {
      expect(context).toContain(`\`kraft ${verb}\``);
    }
    expect(context).toMatch(/403 .* policy, which is no outage/);
    expect(context).not.toContain('begin each subject with its number');
    expect(task).toContain('- src/a.ts:7 (thread cdef2345)\n');
    expect(task).toContain('Answer each with `kraft item reply');
  });

  test('keeps the test command where a scripted agent reads it', () => {
    const first = (hasRoute: boolean) =>
      /^- Tests[^:]*: `.*`$/m.exec(renderPrompt({ ...facts, hasRoute }).context)?.[0];
    expect(first(true)).toBe('- Tests: `npm test`');
    expect(first(true)).toBe(first(false));
  });
});
