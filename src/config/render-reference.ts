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

/** JSON Schema of one document, for editors and for the reference. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }) as JsonSchema;
}

/** Path of each generated schema, with its text. */
export function renderSchemas(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    configDocuments.map(({ name, schema }) => [
      `schemas/${name.replace('.yaml', '.json')}`,
      `${JSON.stringify({ title: name, ...jsonSchemaOf(schema) }, null, 2)}\n`,
    ]),
  );
}

/** The configuration reference as Markdown. */
export function renderConfiguration(): string {
  const parts = [
    '# Configuration',
    '<!-- Generated from src/config by `npm run generate`. -->',
    'The files lie in `$KRAFT_HOME/config/` (`KRAFT_CONFIG_DIR` names another directory). Each may be missing: then its ' +
      'defaults hold. Values are taken in the type they are written in, never converted; anchors, aliases and tags are not ' +
      'read. An error names the file and the line. `$KRAFT_HOME` is `~/.kraft` unless set; `KRAFT_RUN_DIR` moves `run/`.',
    'For completion in an editor, point its YAML plug-in at `schemas/*.json` of the package.',
  ];
  for (const { name, schema, text } of configDocuments) {
    const rows: Row[] = [];
    collectRows(jsonSchemaOf(schema), '', rows);
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

/** One row for each key, those of nested mappings and lists after their own. */
function collectRows(schema: JsonSchema, prefix: string, rows: Row[]): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const known = rows.findIndex((row) => row.key === key);
    const row = { key, type: typeOf(field), initial: initialOf(field, schema, name), text: field.description ?? '' };
    if (known < 0) rows.push(row);
    else rows[known] = merge(rows[known] ?? row, row);
    if (!key.endsWith('.policy.sandbox')) collectBelow(field, key, rows);
  }
}

/** The same key in two branches of a union (`kind: docker`, `kind: kit`). */
function merge(a: Row, b: Row): Row {
  return {
    key: a.key,
    type: a.type === b.type ? a.type : `${a.type}, ${b.type}`,
    initial: a.initial,
    text: a.text === b.text ? a.text : `${a.text} Or: ${b.text}`,
  };
}

function collectBelow(field: JsonSchema, key: string, rows: Row[]): void {
  collectRows(field, key, rows);
  for (const branch of [...(field.anyOf ?? []), ...(field.oneOf ?? [])]) collectBelow(branch, key, rows);
  if (field.items !== undefined) collectBelow(field.items, `${key}[]`, rows);
  const { additionalProperties } = field;
  if (typeof additionalProperties === 'object') collectBelow(additionalProperties, `${key}.<name>`, rows);
}

function typeOf(field: JsonSchema): string {
  const branches = [...(field.anyOf ?? []), ...(field.oneOf ?? [])];
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(', ');
  if (field.const !== undefined) return `\`${JSON.stringify(field.const).replaceAll('"', '')}\``;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field.type === 'array') return field.items === undefined ? 'list' : `list of ${typeOf(field.items)}`;
  if (field.type === 'object') return 'mapping';
  return { integer: 'whole number', null: 'null' }[field.type ?? ''] ?? field.type ?? 'any';
}

function initialOf(field: JsonSchema, parent: JsonSchema, name: string): string {
  if (field.default !== undefined && field.default !== null) return `\`${JSON.stringify(field.default)}\``;
  return parent.required?.includes(name) === true ? 'required' : '';
}
