import { describe, expect, test } from 'vitest';
import type { AgentProfile } from '../../src/config/index.ts';
import type { Harness, SelectedHarness } from '../../src/harness/index.ts';
import { chooseModel, listRoutes, renderRoute } from '../../src/walk/agent-routes.ts';

const entry = (more: object): { harness: null; profile: null; model: null; effort: null } => ({
  harness: null,
  profile: null,
  model: null,
  effort: null,
  ...more,
});
const task = (more: object): Parameters<typeof listRoutes>[0] => ({ ...entry({}), fallback: null, ...more });
const item = { harness: 'demo' };
const strong: AgentProfile = { models: { claude: 'c-9' }, effort: 'high', fallback: [entry({ harness: 'codex' })] };

interface Choice {
  readonly model: string | null;
  readonly profile: AgentProfile | null;
  readonly models: Readonly<Record<string, string>>;
  readonly fallback: string | null;
}

describe('listRoutes (CC 4.5)', () => {
  test.each<{ name: string; of: object; routes: readonly string[] }>([
    { name: 'the item’s harness alone', of: {}, routes: ['demo'] },
    { name: 'the task’s own', of: { harness: 'claude', model: 'm' }, routes: ['claude (m)'] },
    {
      name: 'the task’s fallbacks in their order',
      of: { harness: 'claude', fallback: [entry({ harness: 'codex' }), entry({ model: 'small' })] },
      routes: ['claude', 'codex', 'claude (small)'],
    },
    {
      name: 'those of its profile',
      of: { harness: 'claude', profile: 'strong' },
      routes: ['claude (strong)', 'codex (strong)'],
    },
    {
      name: 'an empty list of the task in place of its profile’s',
      of: { harness: 'claude', profile: 'strong', fallback: [] },
      routes: ['claude (strong)'],
    },
    {
      name: 'a fallback to another harness without the model of the first',
      of: { harness: 'claude', model: 'c-1', fallback: [entry({ harness: 'codex' })] },
      routes: ['claude (c-1)', 'codex'],
    },
    {
      name: 'a fallback to a profile',
      of: { harness: 'claude', fallback: [entry({ harness: 'codex', profile: 'strong' })] },
      routes: ['claude', 'codex (strong)'],
    },
  ])('lists $name', ({ of, routes }) => {
    expect(listRoutes(task(of), item, { strong }).map(renderRoute)).toEqual(routes);
  });
});

describe('chooseModel (CC 1.3)', () => {
  const selected = (model: string | null): SelectedHarness => ({
    name: 'mine',
    harness: { id: 'claude' } as Harness,
    defaults: { model, effort: null, permissionMode: null },
  });
  const models = { mine: 'of the repository', claude: 'of another profile' };

  const usual = { model: null, profile: null, models, fallback: 'default' };

  test.each<{ name: string; of: Partial<Choice>; expected: string | null }>([
    { name: 'the task before all', of: { model: 'of the task', profile: strong }, expected: 'of the task' },
    { name: 'its profile, by the harness file', of: { profile: strong }, expected: 'c-9' },
    { name: 'the repository, by the name of the harness profile', of: {}, expected: 'of the repository' },
    { name: 'the harness profile', of: { models: {} }, expected: 'default' },
    { name: 'nobody', of: { models: {}, fallback: null }, expected: null },
    {
      name: 'the repository, for a profile that does not know the harness',
      of: { profile: { ...strong, models: {} } },
      expected: 'of the repository',
    },
  ])('is that of $name', ({ of, expected }) => {
    const { model, profile, models: repoModels, fallback } = { ...usual, ...of };
    const chosen = chooseModel({ model }, profile, { repo: { models: repoModels }, selected: selected(fallback) });
    expect(chosen).toBe(expected);
  });
});
