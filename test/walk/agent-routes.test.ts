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

  test.each<[string, string | null, AgentProfile | null, Record<string, string>, string | null, string | null]>([
    ['the task before all', 'of the task', strong, models, 'default', 'of the task'],
    ['its profile, by the harness file', null, strong, models, 'default', 'c-9'],
    ['the repository, by the name of the harness profile', null, null, models, 'default', 'of the repository'],
    ['the harness profile', null, null, {}, 'default', 'default'],
    ['nobody', null, null, {}, null, null],
    [
      'the repository, for a profile that does not know the harness',
      null,
      { ...strong, models: {} },
      models,
      null,
      'of the repository',
    ],
  ])('is that of %s', (_, model, profile, repoModels, fallback, expected) => {
    expect(chooseModel({ model }, profile, { repo: { models: repoModels }, selected: selected(fallback) })).toBe(
      expected,
    );
  });
});
