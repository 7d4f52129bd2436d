import { describe, expect, test } from 'vitest';
import { renderPrompt, type PromptFacts } from '../../src/items/index.ts';

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
  intentDir: 'docs/intent',
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
