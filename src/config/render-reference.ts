import { z } from 'zod';
import { HarnessesFile } from './harnesses-schema.ts';
import { PolicyFile } from './policy-schema.ts';
import { ReposFile } from './repos-schema.ts';
import { SandboxFile } from './sandbox-settings-schema.ts';

/** The documents that people write, each with its schema and what it is for. */
export const configDocuments = [
  {
    name: 'repos.yaml',
    schema: ReposFile as z.ZodType,
    text:
      'The connected repositories. `kraft repo connect` adds entries and keeps your comments. In an entry an unknown key ' +
      'within two edits of a known one is refused; any other is kept, warned of, and fails `kraft admin doctor`. ' +
      'Everywhere else unknown keys are refused.',
  },
  { name: 'sandbox.yaml', schema: SandboxFile as z.ZodType, text: 'How this machine runs sandboxes.' },
  {
    name: 'policy.yaml',
    schema: PolicyFile as z.ZodType,
    text: 'Host-wide policy. `defaults` hold where a repository says nothing; `maxima` bound whatever it says.',
  },
  { name: 'harnesses.yaml', schema: HarnessesFile as z.ZodType, text: 'Profiles over the packaged harness files.' },
] as const;

/** A document of another folder that belongs into the reference too. */
export interface ReferenceDocument {
  readonly name: string;
  /** Path of its JSON schema. */
  readonly output: string;
  readonly schema: z.ZodType;
  readonly text: string;
  /** `ref` where the same parts stand in many places and would make the JSON schema long. */
  readonly reused: 'inline' | 'ref';
  /** Whether the keys below `key` are left out of the table. */
  readonly isFolded: (key: string) => boolean;
}

function listDocuments(more: readonly ReferenceDocument[]): readonly ReferenceDocument[] {
  const own = configDocuments.map((document) => ({
    ...document,
    output: `schemas/${document.name.replace('.yaml', '.json')}`,
    reused: 'inline' as const,
    isFolded: (key: string) => key.endsWith('.policy.sandbox'),
  }));
  return [...own, ...more];
}

/** JSON Schema of one document, for editors and for the reference. */
export function jsonSchemaOf(schema: z.ZodType, reused: 'inline' | 'ref' = 'inline'): JsonSchema {
  return z.toJSONSchema(schema, {
    reused,
    io: 'input',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      const { required } = jsonSchema;
      if (required === undefined || jsonSchema.properties?.['extends'] === undefined) return;
      // What is left out comes from the part that is extended.
      delete jsonSchema.required;
      jsonSchema.anyOf = [{ required }, { required: ['extends'] }];
    },
  }) as JsonSchema;
}

/** Path of each generated schema, with its text. */
export function renderSchemas(more: readonly ReferenceDocument[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listDocuments(more).map(({ name, schema, output, reused }) => [
      output,
      `${JSON.stringify({ title: name, ...jsonSchemaOf(schema, reused) }, null, 2)}\n`,
    ]),
  );
}

/** The configuration reference as Markdown. */
export function renderConfiguration(more: readonly ReferenceDocument[]): string {
  const parts = [
    '# Configuration',
    '<!-- Generated from src/config by `npm run generate`. -->',
    'The files lie in `$KRAFT_HOME/config/` (`KRAFT_CONFIG_DIR` names another directory). Each may be missing: then its ' +
      'defaults hold. Values are taken in the type they are written in, never converted; anchors, aliases and tags are not ' +
      'read. An error names the file and the line. `$KRAFT_HOME` is `~/.kraft` unless set; `KRAFT_RUN_DIR` moves `run/`.',
    'For completion in an editor, point its YAML plug-in at `schemas/*.json` of the package.',
  ];
  for (const { name, schema, text, isFolded } of listDocuments(more)) {
    const rows: Row[] = [];
    collectRows(jsonSchemaOf(schema), '', { rows, isFolded });
    const lines = rows.map((r) => `| \`${r.key}\` | ${r.type} | ${r.initial} | ${r.text.replaceAll('|', '\\|')} |`);
    parts.push(`## ${name}`, text, ['| key | type | default | meaning |', '|---|---|---|---|', ...lines].join('\n'));
  }
  return `${parts.join('\n\n')}\n`;
}

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly initial: string;
  readonly text: string;
}

interface Table extends Pick<ReferenceDocument, 'isFolded'> {
  readonly rows: Row[];
}

/** One row for each key, those of nested mappings and lists after their own. */
function collectRows(schema: JsonSchema, prefix: string, table: Table): void {
  const { rows, isFolded } = table;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const known = rows.findIndex((row) => row.key === key);
    const row = { key, type: typeOf(field), initial: initialOf(field, schema, name), text: field.description ?? '' };
    if (known < 0) rows.push(row);
    else rows[known] = merge(rows[known] ?? row, row);
    if (!isFolded(key)) collectBelow(field, key, table);
  }
}

/** The same key in two branches of a union (`kind: docker`, `kind: kit`). */
function merge(a: Row, b: Row): Row {
  return {
    key: a.key,
    type: a.type === b.type ? a.type : `${a.type}, ${b.type}`,
    initial: a.initial === b.initial ? a.initial : '',
    text: a.text === b.text || b.text === '' ? a.text : `${a.text} Or: ${b.text}`,
  };
}

function collectBelow(field: JsonSchema, key: string, table: Table): void {
  collectRows(field, key, table);
  for (const branch of [...(field.anyOf ?? []), ...(field.oneOf ?? [])]) collectBelow(branch, key, table);
  if (field.items !== undefined) collectBelow(field.items, `${key}[]`, table);
  const { additionalProperties } = field;
  if (typeof additionalProperties === 'object') collectBelow(additionalProperties, `${key}.<name>`, table);
}

/** An object with a type of its own has no branches, only a choice of required keys. */
function branchesOf(field: JsonSchema): readonly JsonSchema[] {
  return field.type === undefined ? [...(field.anyOf ?? []), ...(field.oneOf ?? [])] : [];
}

function typeOf(field: JsonSchema): string {
  const branches = branchesOf(field);
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(', ');
  if (field.const !== undefined) return `\`${JSON.stringify(field.const).replaceAll('"', '')}\``;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field.type === 'array') return field.items === undefined ? 'list' : `list of ${typeOf(field.items)}`;
  if (field.type === 'object') return 'mapping';
  return { integer: 'whole number', null: 'null' }[field.type ?? ''] ?? field.type ?? 'any';
}

function initialOf(field: JsonSchema, parent: JsonSchema, name: string): string {
  if (field.default !== undefined && field.default !== null) return `\`${JSON.stringify(field.default)}\``;
  const required = parent.required ?? parent.anyOf?.[0]?.required;
  return required?.includes(name) === true ? 'required' : '';
}
