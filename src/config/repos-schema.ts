import { z } from 'zod';
import { refuseKeys } from '../base/index.ts';
import {
  AbsolutePath,
  Command,
  Identifier,
  InsidePath,
  LocalFile,
  Text,
  ToolName,
  WorkerEnvName,
  problem,
  setting,
  withDefault,
} from './fields.ts';
import { RepoPolicyLayer } from './policy-schema.ts';
import { SandboxSetting } from './sandbox-schema.ts';

/** `repos.yaml` as written (CC 1.3). Defaults are filled by `resolveRepos`. */

const Scope = z.strictObject({
  paths: z.array(Text).min(1).meta({ description: 'Globs of the changed paths that select the command.' }),
  command: Text.meta({ description: 'Run from the worktree’s root, without a shell.' }),
});

const Area = z.strictObject({
  paths: z.array(Text).min(1).meta({ description: 'Globs of the paths that belong to the area.' }),
  setup: setting(Command, 'Run once before the first of the area’s scopes.'),
  verification: setting(
    z.strictObject({ test_scopes: setting(z.array(Scope).min(1), 'Scopes that join those of the repository.') }),
    'How the area is verified.',
  ),
});

const AutomatedReview = z
  .strictObject({
    bot: Text.optional().meta({ description: 'Login of the reviewer whose review is waited for.' }),
    check: Text.optional().meta({ description: 'Name of the check whose result is waited for.' }),
  })
  .superRefine((review, ctx) => {
    if ((review.bot === undefined) === (review.check === undefined)) {
      problem(ctx, 'must have exactly one of bot and check', {
        remedy: 'Write the one reviewer that is to be waited for.',
      });
    }
  });

const entry = {
  path: AbsolutePath.meta({ description: 'Absolute path of the repository’s main checkout.' }),
  name: setting(Text, 'Name that is shown; unset is the path.'),
  id: setting(Identifier, 'Id that workspaces refer to; unique.'),
  enabled: withDefault(z.boolean(), 'Whether items are taken in by themselves; filing by hand always works.', true),
  managed: withDefault(z.boolean(), 'False on a submodule that was connected along with its root.', true),
  default_chain_template: setting(Identifier, 'Chain of an item whose filing names none; unset is `default`.'),
  forge: setting(z.enum(['github', 'gitlab']), 'Forge of the origin remote.'),
  project: setting(Text, 'Path of the project on the forge.'),
  models: withDefault(z.record(Identifier, Text), 'Model by harness profile.', {}),
  test_command: setting(
    Command,
    'Tests of the whole repository, without a shell. `""` declares that there are none; unset stops for a person.',
  ),
  test_scopes: setting(z.array(Scope).min(1), 'Tests by changed paths.'),
  areas: withDefault(z.record(Identifier, Area), 'Parts of the repository with a setup and scopes of their own.', {}),
  intent_dir: setting(InsidePath, 'Directory of the repository that every agent is told to follow.'),
  setup_command: setting(
    Command,
    'Run with `sh -c` in the sandbox, in every new worktree. `""` is deliberately nothing; unset stops the next item.',
  ),
  env: withDefault(z.record(WorkerEnvName, Command), 'Variables of every worker, in plain text.', {}),
  env_passthrough: withDefault(z.array(WorkerEnvName), 'Variables of the daemon that cross by name.', []),
  local_files: withDefault(z.array(LocalFile), 'Ignored files that are copied into each new worktree.', []),
  deny_tools: withDefault(z.array(ToolName), 'Tools that no agent may use; joined with `policy.deny_tools`.', []),
  steering: withDefault(z.array(Text), 'Steering profiles, by name.', []),
  sandbox: setting(SandboxSetting, 'Where agents, tests and the setup command run; null or false runs nothing.'),
  policy: setting(RepoPolicyLayer, 'The repository’s policy; it only tightens.'),
  automated_review: setting(AutomatedReview, 'The reviewer that a chain waits for.'),
  ci_checks: withDefault(z.boolean(), 'False lets both waits for CI pass at once.', true),
};

/** Names of every field of an entry: what an unknown key is compared with. */
export const repoFields: readonly string[] = Object.keys(entry);

export const RepoEntry = z.looseObject(entry).superRefine((repo, ctx) => {
  if (repo.sandbox !== null && (repo.policy?.sandbox ?? null) !== null) {
    problem(ctx, 'is set although policy.sandbox is set too', {
      path: ['sandbox'],
      remedy: 'Keep one of the two; a repository has one sandbox.',
    });
  }
});
export type RepoEntry = z.infer<typeof RepoEntry>;

const Member = z.strictObject({
  repository: Identifier.meta({ description: 'Id of a connected repository.' }),
  path: InsidePath.meta({ description: 'Where it is mounted inside the root.' }),
});

const Workspace = z.strictObject({
  root: Identifier.meta({ description: 'Id of the connected root repository.' }),
  root_pointer_default: withDefault(
    z.enum(['ignore', 'bump']),
    'What happens to the root’s pointers when a member is merged.',
    'ignore',
  ),
  members: withDefault(z.record(Text, Member), 'Repositories that are mounted inside the root.', {}),
});

export const ReposFile = refuseKeys(
  z.strictObject({
    repos: setting(z.array(RepoEntry), 'The connected repositories.'),
    workspaces: setting(z.record(Identifier, Workspace), 'Root repositories with others mounted inside, by id.'),
  }),
  { repositories: { problem: 'is not the key; no repository would be read', remedy: 'Write `repos:` instead.' } },
);
export type ReposFile = z.infer<typeof ReposFile>;

/** Keys of an entry that are refused by name, whatever their distance from a field. */
export const refusedEntryKeys: Readonly<Record<string, { readonly problem: string; readonly remedy: string }>> = {
  default_chain: { problem: 'is not the key', remedy: 'Write `default_chain_template`.' },
};

/** Keys that other versions read: kept and warned of like any unread key, with what to write instead. */
export const retiredEntryKeys: Readonly<Record<string, string>> = {
  default_model: 'Remove it, and write `models` with a model for each harness profile.',
  default_root_merge_policy: 'Remove it, and write `root_pointer_default` in the workspace.',
  submodules: 'Remove it, and connect each submodule as an entry of its own.',
  allow_cross_repo: 'Remove it; nothing takes its place.',
  gitlab_project: 'Remove it, and write `forge: gitlab` and `project`.',
};
