import { z } from 'zod';

/**
 * Schema of a chain file (CC 6.4). Every key of the format is known here; those whose feature is not built yet are taken
 * as they are, and whoever walks such a chain is told (`resolveChain`). Anything else is refused.
 */
const id = z.string().regex(/^[a-z][a-z0-9_-]*$/, 'must be lower-case letters, digits, `_` and `-`, a letter first');
const text = z.string().min(1);
const later = z.unknown().optional().meta({ description: 'Known to the format; not built yet.' });

const common = {
  id: id.meta({ description: 'Last part of the canonical path node.step.task.' }),
  extends: later,
  policy: later,
  on_failure: later,
  skippable: z.boolean().optional().meta({ description: 'Whether a person may skip it; nothing skips yet.' }),
  icon: z.string().optional().meta({ description: 'For a later user interface.' }),
};

const AgentTask = z.strictObject({
  ...common,
  kind: z.literal('agent'),
  scope: z.enum(['once', 'each_repository']).optional(),
  harness: text.optional().meta({ description: 'Harness or profile; the item’s own when left out.' }),
  prompt: text.optional().meta({ description: 'Put after the item’s description.' }),
  model: text.optional().meta({ description: 'Model, as the harness spells it.' }),
  effort: text.optional().meta({ description: 'Effort, as the harness spells it.' }),
  skill: later,
  produces: later,
  profile: later,
  fallback: later,
  inputs: later,
  steering: later,
});

const SubprocessTask = z.strictObject({
  ...common,
  kind: z.literal('subprocess'),
  scope: z.enum(['once', 'each_repository']).optional(),
  command: text.meta({ description: 'Split into words and run in the sandbox, without a shell.' }),
});

const BuiltinTask = z.strictObject({
  ...common,
  kind: z.literal('builtin'),
  scope: z.enum(['once', 'each_repository']).optional(),
  ref: text.meta({ description: 'kraft.verify_changed_test_scopes, or a builtin that is not built yet.' }),
  execution: z.enum(['sequential', 'parallel']).optional(),
});

const ForgeTask = z.strictObject({
  ...common,
  kind: z.literal('forge'),
  scope: z.enum(['once', 'each_repository']).optional(),
  target: text,
  wait: later,
});

const Task = z.discriminatedUnion('kind', [AgentTask, SubprocessTask, BuiltinTask, ForgeTask]);
export type Task = z.infer<typeof Task>;

const tasks = z.array(Task).min(1);

const Step = z.strictObject({
  ...common,
  tasks: tasks.meta({ description: 'Run one after the other.' }),
  read_only: later,
});

const ExecNode = z
  .strictObject({
    ...common,
    kind: z.literal('exec').optional().meta({ description: 'exec is meant where nothing is said.' }),
    tasks: tasks.optional().meta({ description: 'One step named main.' }),
    steps: z.array(Step).min(1).optional(),
    fix_loop: later,
    escalation: later,
    on_base_changed: later,
    read_only: later,
  })
  .refine(
    (node) => (node.tasks === undefined) !== (node.steps === undefined),
    'needs `tasks` or `steps`, and not both',
  );

const GateNode = z.strictObject({
  id,
  kind: z.literal('gate'),
  extends: later,
  policy: later,
  skippable: z.boolean().optional(),
  message: later,
  artifact: later,
  artifact_required: later,
  reject_to: later,
  timeout: later,
  auto_review: later,
  chain_finalized: later,
});

const Node = z.union([ExecNode, GateNode]);
export type Node = z.infer<typeof Node>;

export const ChainFile = z.strictObject({
  id: id.optional().meta({ description: 'The file’s stem where left out; must equal it.' }),
  description: z.string().optional(),
  nodes: z.array(Node).min(1).meta({ description: 'Walked in this order.' }),
  policy: later,
});
export type ChainFile = z.infer<typeof ChainFile>;
