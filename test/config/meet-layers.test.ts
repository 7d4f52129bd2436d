import { describe, expect, test } from 'vitest';
import { meetLayers, resolvePolicy, resolveToolPolicy, type PolicyLayer } from '../../src/config/index.ts';
import { PolicyLayer as schema } from '../../src/config/policy-schema.ts';

const layer = (said: Partial<PolicyLayer>): PolicyLayer => schema.parse(said);
const meet = (...said: readonly Partial<PolicyLayer>[]): PolicyLayer => meetLayers(said.map(layer));

describe('policies inside one another (CC 1.5, 3.1)', () => {
  test.each<[string, readonly Partial<PolicyLayer>[], Partial<PolicyLayer>]>([
    [
      'allow lists intersect',
      [{ allowed_tools: ['Bash', 'Edit'] }, { allowed_tools: ['Edit', 'Read'] }],
      { allowed_tools: ['Edit'] },
    ],
    [
      'lists without a common entry allow nothing',
      [{ allowed_harnesses: ['a'] }, { allowed_harnesses: ['b'] }],
      { allowed_harnesses: [] },
    ],
    ['an empty list cannot be widened', [{ allowed_tools: [] }, { allowed_tools: ['Bash'] }], { allowed_tools: [] }],
    ['denials join', [{ deny_tools: ['Bash'] }, { deny_tools: ['Edit', 'Bash'] }], { deny_tools: ['Bash', 'Edit'] }],
    [
      'grants are those that all grant',
      [{ grants: ['git-commit', 'git-push'] }, { grants: ['git-commit'] }],
      { grants: ['git-commit'] },
    ],
    ['the smallest number holds', [{ max_attempts: 2 }, { max_attempts: 9 }, { max_attempts: 3 }], { max_attempts: 2 }],
    ['silence changes nothing', [{ budget_usd: 2 }, {}, {}], { budget_usd: 2 }],
    [
      'a set escalation harness stays',
      [{ escalation_harness: 'a' }, { escalation_harness: 'b' }],
      { escalation_harness: 'a' },
    ],
  ])('%s', (_name, layers, expected) => {
    expect(meet(...layers)).toEqual(layer(expected));
  });

  test('defaults of policy.yaml hold only where no layer says anything, maxima whatever any says', () => {
    const around = {
      defaults: layer({ max_attempts: 1, budget_usd: 1, grants: ['git-commit'] }),
      maxima: layer({ max_attempts: 4, allowed_tools: ['Bash'], deny_tools: ['Edit'] }),
    };
    const met = meet({ max_attempts: 9, allowed_tools: ['Bash', 'Edit'] }, { max_attempts: 7 });

    expect(resolvePolicy(met, around)).toMatchObject({ maxAttempts: 4, budgetUsd: 1 });
    expect(resolveToolPolicy(met, [], around)).toEqual({
      allowedTools: ['Bash'],
      denyTools: ['Edit'],
      grants: ['git-commit'],
    });
  });
});
