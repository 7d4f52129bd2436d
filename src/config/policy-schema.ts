import { z } from 'zod';
import { parseSizeBytes } from '../base/index.ts';
import { Count, Identifier, Minutes, Seconds, ToolName, Usd, problem, setting, withDefault } from './fields.ts';
import { SandboxSetting } from './sandbox-schema.ts';

/** What every policy layer may say (CC 1.3). Layers only tighten. */
const layer = {
  allowed_tools: setting(z.array(ToolName), 'Tools that may be used; unset is all, `[]` is none.'),
  deny_tools: setting(z.array(ToolName), 'Tools that may not be used.'),
  grants: setting(
    z.array(z.enum(['git-commit', 'git-rebase', 'git-push'])),
    'Git operations that are allowed without asking.',
  ),
  allowed_harnesses: setting(z.array(Identifier), 'Harness profiles that may run; unset is all.'),
  timeout_minutes: setting(Minutes, 'Wall-clock minutes of one fix loop.'),
  max_attempts: setting(Count, 'Attempts of one fix loop.'),
  time_cap_minutes: setting(Minutes, 'Minutes of one session; of all levels the smallest holds.'),
  total_time_cap_minutes: setting(
    Minutes,
    'Minutes of all sessions together: of the item, or of the node, step or task that says it.',
  ),
  token_budget: setting(Count, 'Tokens in and out of all sessions together, without those read from a cache.'),
  budget_usd: setting(Usd, 'US dollars of all sessions together, as the agents tell them.'),
  escalation_harness: setting(Identifier, 'Harness profile that takes over when an item is stuck.'),
};

export const PolicyLayer = z.strictObject(layer);
export type PolicyLayer = z.infer<typeof PolicyLayer>;

/** The layer of a repository: the same, and its sandbox. */
export const RepoPolicyLayer = z.strictObject({
  ...layer,
  sandbox: setting(SandboxSetting, 'The sandbox, when the entry itself has none; takes the same keys.'),
});

const LoopBounds = z.strictObject({
  max_attempts: withDefault(Count, 'Attempts before a person is asked.', 3),
  wall_clock_s: withDefault(Seconds, 'Seconds before a person is asked.', 3600),
});

const size = z.string().superRefine((text, ctx) => {
  if (parseSizeBytes(text) === null)
    problem(ctx, 'must be a whole number with an optional unit b, k, m or g, such as `2g`', {});
});

/** `policy.yaml`: host-wide policy and the numbers of the daemon. */
export const PolicyFile = z.strictObject({
  defaults: setting(PolicyLayer, 'What holds where no repository, chain or task says otherwise.'),
  maxima: setting(PolicyLayer, 'What no repository, chain or task can exceed.'),
  default: LoopBounds.prefault({}).meta({ description: 'Bounds of a fix loop that has none of its own.' }),
  loops: setting(
    z.record(Identifier, z.strictObject({ fix_loop: LoopBounds.meta({ description: 'Bounds of the fix loop.' }) })),
    'Bounds of the fix loop of a node, by node id.',
  ),
  budgets: z
    .strictObject({
      work_item_usd: withDefault(
        Usd.nullable(),
        'US dollars of one item, as its agents tell them; null is no bound.',
        10,
      ),
      daily_usd: withDefault(Usd.nullable(), 'US dollars of all items in one day (UTC); null is no bound.', 50),
    })
    .prefault({})
    .meta({ description: 'Bounds of what agents may cost.' }),
  max_concurrent: withDefault(Count, 'Items that run at the same time.', 3),
  disk_floor: withDefault(size, 'Free space under which nothing is launched and items pause.', '2g'),
  auto_escalate_stuck: withDefault(z.boolean(), 'Whether a stuck item gets an escalation turn.', true),
  auto_escalate_cap: withDefault(z.int().min(0), 'Escalation turns of one item.', 3),
  auto_escalate_delay_s: withDefault(Seconds, 'Seconds before an escalation turn.', 0),
  auto_review_attempts: withDefault(z.int().min(0), 'Attempts of an automatic gate review.', 1),
  forge_cli_timeout_s: withDefault(z.number().positive(), 'Seconds that one call of a forge CLI may take.', 120),
  forge_poll_s: withDefault(z.number().positive(), 'Seconds between two looks at a forge.', 300),
  rate_limit_retries: withDefault(
    z.int().min(0),
    'How often in a row an item waits for a provider before it stops for you.',
    5,
  ),
});
export type PolicyFile = z.infer<typeof PolicyFile>;
