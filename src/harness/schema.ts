import { z } from 'zod';

/** Schema of a harness file (CC 4.2). Unknown keys are refused at any distance. */

const word = z.string().min(1);
const argv = z.array(word).min(1);
const list = z.union([word, z.array(word)]).transform((value) => (typeof value === 'string' ? [value] : value));

const placeholder = /\{[^{}]*\}/gu;

const fragment = argv.superRefine((parts, context) => {
  for (const match of parts.flatMap((part) => part.match(placeholder) ?? [])) {
    if (match !== '{value}' && match !== '{csv}')
      context.addIssue({ code: 'custom', message: 'knows the placeholders {value} and {csv} alone' });
  }
});

const pattern = word.superRefine((source, context) => {
  try {
    new RegExp(source, 'u');
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a regular expression' });
  }
});

const CapabilityFile = z
  .strictObject({
    cli: fragment.optional().meta({ description: 'argv fragment; `{value}` and `{csv}` stand for what was chosen.' }),
    via: z
      .enum(['command_resume', 'permission_hook', 'permission_rules'])
      .optional()
      .meta({ description: 'Served by another part of the file instead of a fragment.' }),
    values: z.array(pattern).optional().meta({ description: 'Regular expressions that a whole value must match.' }),
    always: list.optional().meta({ description: 'Used when nothing was chosen; merged into a list that was.' }),
    under_allowlist: word
      .optional()
      .meta({ description: 'Value while an allow list of tools holds (permission_mode).' }),
  })
  .superRefine((capability, context) => {
    if (capability.cli === undefined && capability.via === undefined)
      context.addIssue({ code: 'custom', message: 'needs `cli` or `via`' });
    const fixed = [
      ...(capability.always ?? []),
      ...((capability.under_allowlist ?? '') ? [capability.under_allowlist] : []),
    ];
    const odd = fixed.find((value) => value !== undefined && !matchesValues(capability.values ?? [], value));
    if (odd !== undefined)
      context.addIssue({
        code: 'custom',
        message: 'has an `always` or `under_allowlist` that its own `values` refuse',
      });
  });
export type CapabilityFile = z.infer<typeof CapabilityFile>;

/** Whether a value passes the gate: one of the patterns matches it as a whole, or there is no pattern. */
export function matchesValues(patterns: readonly string[], value: string): boolean {
  return patterns.length === 0 || patterns.some((source) => new RegExp(`^(?:${source})$`, 'u').test(value));
}

const Context = z.discriminatedUnion('channel', [
  z.strictObject({ channel: z.literal('prompt') }),
  z.strictObject({ channel: z.literal('system_prompt'), cli: fragment }),
]);

const logReaderNames = [
  'claude-stream-json',
  'codex-json',
  'gemini-stream-json',
  'cursor-stream-json',
  'opencode-json',
  'amp-stream-json',
] as const;
/** Who reads a product's output (CC 4.2). */
export type LogReaderName = (typeof logReaderNames)[number];

const Usage = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('result_file') }),
  z.strictObject({
    source: z.literal('envelope'),
    reader: z.enum(logReaderNames),
  }),
]);

const capability = CapabilityFile.optional();

const CapabilitiesFile = z.strictObject({
  prompt: z.strictObject({ cli: fragment }).meta({ description: 'How the task is passed; always the last arguments.' }),
  context: Context.meta({ description: 'Where the contract goes: in front of the prompt, or its own argument.' }),
  usage: Usage.meta({ description: 'Where spend is read from.' }),
  model: capability,
  effort: capability,
  permission_mode: capability,
  deny_tools: capability,
  allowed_tools: capability,
  restrict_tools: capability,
  approval_channel: capability,
  resume: capability,
  autocompact: capability,
  structured_log: capability,
  rate_limit_signal: capability,
  writable_dirs: capability,
  mcp_config: capability,
});

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/u, 'must be the name of a variable');

const Credential = z.strictObject({
  service: word.optional(),
  env: variable,
  sentinel: word.meta({ description: 'What the container holds in place of the value.' }),
  inject: z.array(z.strictObject({ domain: word, header: word, format: word.optional() })).min(1),
});

/** Config files of the product that hold whatever a worker writes (CC 4.2, 4.3). */
const ConfigDir = z
  .strictObject({
    env: variable.meta({ description: 'Variable that names the folder.' }),
    names: word.optional().meta({ description: 'File of `files` that the variable names in place of the folder.' }),
    files: z
      .record(z.string().regex(/^[A-Za-z0-9][\w.-]*$/u, 'must be the plain name of a file'), z.json())
      .meta({ description: 'Name of each file -> its content, which is written as JSON.' }),
  })
  .superRefine((dir, context) => {
    if (Object.keys(dir.files).length === 0)
      context.addIssue({ code: 'custom', path: ['files'], message: 'must hold a file' });
    if (dir.names !== undefined && !Object.hasOwn(dir.files, dir.names))
      context.addIssue({ code: 'custom', path: ['names'], message: 'is no file of `files`' });
  });

export const HarnessFile = z
  .strictObject({
    id: word.meta({ description: 'The stem of the file.' }),
    kind: z.literal('cli'),
    command: argv.meta({ description: 'argv prefix.' }),
    command_resume: fragment
      .optional()
      .meta({ description: 'argv prefix in place of `command` when a session is gone on with; `{value}` is its id.' }),
    session_file: word.default('{value}').meta({
      description:
        'Part of the name of a file under HOME that is there while a session can be gone on with; `{value}` is the id, `{value8}` its first 8 characters.',
    }),
    args: z
      .array(word)
      .default([])
      .meta({ description: 'Arguments of each launch, whether it goes on with a session or not.' }),
    env: z
      .record(variable, z.string())
      .default({})
      .meta({ description: 'Literal variables of each launch; they win over the repository’s `env`.' }),
    scripted: z
      .boolean()
      .default(false)
      .meta({ description: 'Follows a script: has no tools that a tool policy could bind.' }),
    capabilities: CapabilitiesFile,
    permission_hook: z.enum(['cursor', 'codex']).optional(),
    permission_rules: z.enum(['opencode', 'amp']).optional(),
    tool_names: z.record(word, list).default({}).meta({ description: 'Tool of the product -> names that Kraft uses.' }),
    unhooked_tools: z.array(word).default([]).meta({ description: 'Kraft tool names that the hook never sees.' }),
    config_dir: ConfigDir.optional().meta({
      description:
        'Folder of the container that is made anew for each launch. The files in it are Kraft’s and read-only; what the product writes beside them goes with the container.',
    }),
    verified: z
      .strictObject({
        version: word.meta({ description: 'Version of the product that the file was tried on.' }),
        date: z
          .string()
          .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u, 'must be a year and a month, like 2026-11')
          .meta({ description: 'When, as `YYYY-MM`.' }),
        by: z.enum(['runs', 'flags']).meta({
          description: '`runs`: whole runs against a provider. `flags`: it was started, and no run was possible.',
        }),
      })
      .optional()
      .meta({ description: 'What the file was tried on, for people; left out where nobody has run it.' }),
    network: z.strictObject({ requires: z.array(word).default([]) }).default({ requires: [] }),
    proxy_aware: z.boolean().default(true),
    credentials: z.array(Credential).default([]),
    container_permission_mode: word.optional(),
  })
  .superRefine((file, context) => {
    const needs = {
      permission_hook: file.permission_hook,
      permission_rules: file.permission_rules,
      command_resume: file.command_resume,
    };
    for (const [name, value] of Object.entries(file.capabilities)) {
      const via = value !== undefined && 'via' in value ? value.via : undefined;
      if (via !== undefined && needs[via] === undefined)
        context.addIssue({
          code: 'custom',
          path: ['capabilities', name, 'via'],
          message: `needs \`${via}\` in this file`,
        });
    }
    const mode = file.container_permission_mode;
    if (mode !== undefined && !matchesValues(file.capabilities.permission_mode?.values ?? [], mode))
      context.addIssue({
        code: 'custom',
        path: ['container_permission_mode'],
        message: 'is refused by capabilities.permission_mode.values',
      });
    for (const [index, credential] of file.credentials.entries()) {
      if (credential.inject.some(({ domain }) => !file.network.requires.includes(domain)))
        context.addIssue({
          code: 'custom',
          path: ['credentials', index, 'inject'],
          message: 'names a domain that network.requires lacks',
        });
    }
  });
export type HarnessFile = z.infer<typeof HarnessFile>;
