import { z } from 'zod';
import { RepoPolicyLayer } from '../config/index.ts';

/**
 * Schema of a chain file (CC 6.4), judged after `extends` has been written out. Every key of the format is known here; what
 * is not built yet is checked all the same, and whoever walks such a chain is told (`resolveChain`).
 */
const reserved = ['on_failure', 'fix_loop'];
const id = z
  .string()
  .regex(/^[a-z][a-z0-9_-]*$/, 'must be lower-case letters, digits, `_` and `-`, a letter first')
  .refine((text) => !reserved.includes(text), 'must be another word: this one stands for a part of its own in paths')
  .meta({ description: 'Its part of the canonical path `node.step.task`; unique beside its neighbours.' });
const text = z.string().min(1);
const minutes = z.number().positive();
const interval = z.string().regex(/^[1-9][0-9]*[smh]$/, 'must be a whole number and s, m or h, such as `30s`');
const later = z.unknown().optional().meta({ description: 'Its form comes with its feature; not built yet.' });

/** `node` or `node.step.task`, with `chain/` before it for one of another file. */
const extending = {
  extends: text.optional().meta({
    description:
      'Part of the same kind that this one starts from: `node` or `node.step.task`, with `chain/` before it for another ' +
      'file. Mappings are merged, lists and values replaced.',
  }),
};

const common = {
  id,
  policy: RepoPolicyLayer.optional().meta({
    description: 'Tightens the policy around it; `sandbox` may only repeat the one around it.',
  }),
  skippable: z.boolean().optional().meta({ description: 'Whether a person may skip it; default true.' }),
};
const icon = { icon: z.string().optional().meta({ description: 'For a later user interface.' }) };

const task = {
  ...common,
  ...extending,
  ...icon,
  scope: z.enum(['once', 'each_repository']).optional().meta({ description: 'Default `once`.' }),
  steering: z.array(text).optional().meta({ description: 'Names of steering texts; not built yet.' }),
};

const agent = z.strictObject({
  ...task,
  kind: z.literal('agent').meta({ description: 'Which sort of task it is.' }),
  harness: text.optional().meta({ description: 'Harness or profile; the item’s own when left out.' }),
  prompt: text.optional().meta({ description: 'Put after the item’s description.' }),
  model: text.optional().meta({ description: 'Model, as the harness spells it.' }),
  effort: text.optional().meta({ description: 'Effort, as the harness spells it.' }),
  skill: text.optional().meta({ description: 'Skill that the agent gets; not built yet.' }),
  produces: id.optional().meta({ description: 'Artifact that it must leave; not built yet.' }),
  profile: id.optional().meta({
    description: 'Agent profile of harnesses.yaml, for model, effort and fallback; in place of `model` and `effort`.',
  }),
  fallback: z
    .array(
      z.strictObject({
        harness: text.optional().meta({ description: 'Harness or profile to go on with.' }),
        profile: text.optional().meta({ description: 'Profile to go on with.' }),
        model: text.optional().meta({ description: 'Model to go on with.' }),
        effort: text.optional().meta({ description: 'Effort to go on with.' }),
      }),
    )
    .optional()
    .meta({
      description:
        'What to go on with, in order, when a provider limits it or a profile is not there; `[]` is nothing.',
    }),
  inputs: z
    .array(z.enum(['review_package', 'carried_findings', 'previous_review']))
    .optional()
    .meta({ description: 'What the agent is given to read; not built yet.' }),
});

const subprocess = z.strictObject({
  ...task,
  kind: z.literal('subprocess'),
  command: text.meta({ description: 'Split into words and run in the sandbox, without a shell.' }),
});

const builtin = z.strictObject({
  ...task,
  kind: z.literal('builtin'),
  ref: z
    .enum(['kraft.verify_changed_test_scopes', 'kraft.mr_rebase'])
    .meta({ description: 'The builtin; `kraft.mr_rebase` is not built yet.' }),
  execution: z
    .enum(['sequential', 'parallel'])
    .optional()
    .meta({ description: 'Whether the test commands run one after the other or side by side; default `sequential`.' }),
});

const forge = z.strictObject({
  ...task,
  kind: z.literal('forge'),
  target: z
    .enum([
      'mr.open_draft',
      'mr.sync',
      'mr.ci',
      'mr.automated_review',
      'mr.mark_ready',
      'mr.external_approval',
      'mr.merge',
      'mr.post_merge_ci',
    ])
    .meta({ description: 'Call of the forge; not built yet.' }),
  wait: z
    .strictObject({
      polling: z
        .strictObject({
          initial_interval: interval.optional().meta({ description: 'Between the first two looks.' }),
          max_interval: interval.optional().meta({ description: 'What it grows to.' }),
        })
        .optional(),
    })
    .optional()
    .meta({ description: 'How it waits; not built yet.' }),
});

interface ModelChoice {
  readonly profile?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
}
const oneChoice = (chosen: ModelChoice): boolean =>
  chosen.profile === undefined || (chosen.model === undefined && chosen.effort === undefined);
const oneChoiceWords = 'takes `profile`, or `model` and `effort`, and not both';
const kindWords = { error: () => 'must be agent, subprocess, builtin or forge' };

/** A task of a fix loop or a recovery: none of its own below it. */
const PlainTask = z.discriminatedUnion('kind', [agent.refine(oneChoice, oneChoiceWords), subprocess, builtin, forge], {
  ...kindWords,
});

interface Body {
  readonly tasks?: unknown;
  readonly steps?: unknown;
}
const oneBody = (part: Body): boolean => (part.tasks === undefined) !== (part.steps === undefined);
const oneBodyWords = {
  error: 'needs `tasks` or `steps`, and not both',
  // A slip in one of the two keys has been told by then.
  when: ({ issues }: z.core.ParsePayload): boolean => issues.length === 0,
};

const plainBody = {
  tasks: z.array(PlainTask).min(1).optional().meta({ description: 'One step.' }),
  steps: z
    .array(z.strictObject({ id, tasks: z.array(PlainTask).min(1) }))
    .min(1)
    .optional()
    .meta({ description: 'Run one after the other.' }),
};

const Recovery = z.strictObject(plainBody).refine(oneBody, oneBodyWords);
const recovery = {
  on_failure: Recovery.optional().meta({
    description: 'Run once when it fails, before a fix loop; then the part runs again.',
  }),
};

const Task = z.discriminatedUnion(
  'kind',
  [
    agent.extend(recovery).refine(oneChoice, oneChoiceWords),
    subprocess.extend(recovery),
    builtin.extend(recovery),
    forge.extend(recovery),
  ],
  kindWords,
);
export type Task = z.infer<typeof Task>;

const tasks = z.array(Task).min(1);
const readOnly = {
  read_only: z.boolean().optional().meta({ description: 'Whether the worktree is mounted read-only; not built yet.' }),
};

const Step = z.strictObject({
  ...common,
  ...icon,
  ...recovery,
  ...readOnly,
  tasks: tasks.meta({ description: 'Run side by side.' }),
});
export type Step = z.infer<typeof Step>;

const FixLoop = z
  .strictObject({
    ...plainBody,
    judge: agent
      .refine(oneChoice, oneChoiceWords)
      .optional()
      .meta({ description: 'Agent that says whether to go on.' }),
    max_attempts: z.int().min(1).optional().meta({ description: 'Attempts; unset is those of the policy.' }),
  })
  .refine(oneBody, oneBodyWords);

const ExecNode = z
  .strictObject({
    ...common,
    ...extending,
    ...icon,
    ...recovery,
    ...readOnly,
    kind: z.literal('exec').optional().meta({ description: 'Which sort of node it is; unset is `exec`.' }),
    tasks: tasks.optional().meta({ description: 'One step named main.' }),
    steps: z.array(Step).min(1).optional().meta({ description: 'Run one after the other.' }),
    fix_loop: FixLoop.optional().meta({
      description: 'Repairs what failed and runs the node again, until it passes or the bounds are reached.',
    }),
    escalation: later,
    on_base_changed: z
      .strictObject({
        restart_from: id.optional().meta({ description: 'Node to go back to.' }),
        on_conflict: later,
      })
      .optional()
      .meta({ description: 'What to do when the base branch moved; not built yet.' }),
  })
  .refine(oneBody, oneBodyWords);

const GateNode = z.strictObject({
  ...common,
  ...extending,
  kind: z.literal('gate').meta({ description: 'A gate waits for a person.' }),
  message: text.optional().meta({ description: 'What the person is asked.' }),
  artifact: id
    .optional()
    .meta({ description: 'What the person looks at: an artifact that a task produces; not built yet.' }),
  artifact_required: z.boolean().optional().meta({ description: 'Whether the gate stops without it; not built yet.' }),
  reject_to: id.optional().meta({ description: 'Earlier node that a rejected item goes back to.' }),
  timeout: minutes.optional().meta({ description: 'Minutes until it stops waiting; not built yet.' }),
  auto_review: later,
  chain_finalized: z.boolean().optional().meta({ description: 'Whether the chain may not change after it.' }),
});

// The gate first: a node without `kind` is no gate, and one with it is judged as one.
const Node = z.discriminatedUnion('kind', [GateNode, ExecNode], { error: () => 'must be exec or gate' });
export type Node = z.infer<typeof Node>;
export type ExecNode = z.infer<typeof ExecNode>;

/** What holds tasks besides a node: `on_failure` and `fix_loop`. */
export type PlainBody = z.infer<typeof Recovery>;

export const ChainFile = z.strictObject({
  id: id.optional().meta({ description: 'The file’s stem where left out; must equal it.' }),
  description: z.string().optional().meta({ description: 'What the chain is for.' }),
  policy: common.policy,
  nodes: z.array(Node).min(1).meta({ description: 'Walked in this order.' }),
});
export type ChainFile = z.infer<typeof ChainFile>;
