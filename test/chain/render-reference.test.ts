import { expect, test } from 'vitest';
import { chainDocument } from '../../src/chain/render-reference.ts';
import { renderConfiguration, renderSchemas } from '../../src/config/render-reference.ts';

test('the JSON schema of chains asks for less of a part that extends another, and stays small', () => {
  const text = renderSchemas([chainDocument])['schemas/chain.json'] ?? '';

  expect(text).toMatch(/"anyOf": \[\s*\{\s*"required": \[[^\]]*\]\s*\},\s*\{\s*"required": \[\s*"extends"\s*\]/);
  expect(text).not.toMatch(/"required": \[[^\]]*"command"[^\]]*\],\s*"additionalProperties"/);
  expect(text.length).toBeLessThan(100_000);
});

test('the reference has each key of a chain once', () => {
  const rows =
    renderConfiguration([chainDocument])
      .split('## chains/')[1]
      ?.match(/^\| `[^`]+`/gm) ?? [];

  expect(rows).toContain('| `nodes[].tasks[].command`');
  expect(rows).toContain('| `nodes[].fix_loop.max_attempts`');
  expect(new Set(rows).size).toBe(rows.length);
});
