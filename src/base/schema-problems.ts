import leven, { closestMatch } from 'leven';
import type { z } from 'zod';
import type { DocumentPath, SourceDocument } from './document.ts';
import { safeLine } from './text.ts';

export type SchemaFault = 'unknown-key' | 'refused-key' | 'missing-key' | 'wrong-type' | 'bad-value';

/** One way in which a document does not fit its schema. */
export interface SchemaProblem {
  readonly fault: SchemaFault;
  readonly line: number;
  readonly path: DocumentPath;
  /** Clause that follows the path (`must be a boolean`); for a key, what is wrong with it. No period. */
  readonly problem: string;
  /** The key in question for the two key faults, else null. */
  readonly key: string | null;
  /** The known key nearest to an unknown one, within two edits; else null. */
  readonly meant: string | null;
  /** What to write instead, where the schema says more than the fault does. */
  readonly remedy: string | null;
}

/** What a schema says about a key that it refuses by name: a clause, and the remedy as a sentence. */
export interface RefusedKey {
  readonly problem: string;
  readonly remedy: string;
}

const refusedKeys = new WeakMap<object, Readonly<Record<string, RefusedKey>>>();

/** Gives an object schema words of its own for some unknown keys. Call it last: a further zod method makes a new schema. */
export function refuseKeys<S extends z.ZodType>(schema: S, keys: Readonly<Record<string, RefusedKey>>): S {
  refusedKeys.set(schema, keys);
  return schema;
}

/** The closest of `known` to `key` within two edits (ties: alphabetical), or null. */
export function closestKey(key: string, known: readonly string[]): string | null {
  const match = closestMatch(key, [...known].sort(), { maxDistance: 2 });
  return match !== undefined && leven(key, match) <= 2 ? match : null;
}

/** `repos[0].sandbox.image`; a key that would not read as one word is quoted, and is safe to print. */
export function renderPath(path: DocumentPath): string {
  let out = '';
  for (const part of path) {
    if (typeof part === 'number') out += `[${part}]`;
    else out += `${out === '' ? '' : '.'}${/^[\w-]+$/.test(part) ? part : JSON.stringify(safeLine(part))}`;
  }
  return out;
}

/** Every issue of a failed parse with its line, in the order of the file. Quotes no value of the document. */
export function schemaProblems(
  schema: z.ZodType,
  document: Pick<SourceDocument, 'data' | 'lineOf'>,
  error: z.ZodError,
): SchemaProblem[] {
  const problems = error.issues.flatMap((issue) => describe(issue, [], { schema, document }));
  return problems.filter((p) => !isMisspelt(p, problems)).sort((a, b) => a.line - b.line);
}

/** A key that is missing because it was written with a slip: the slip is the one problem. */
function isMisspelt(problem: SchemaProblem, all: readonly SchemaProblem[]): boolean {
  if (problem.fault !== 'missing-key') return false;
  const parent = renderPath(problem.path.slice(0, -1));
  return all.some((p) => p.fault === 'unknown-key' && p.meant === problem.path.at(-1) && renderPath(p.path) === parent);
}

type Issue = z.core.$ZodIssue;
interface Context {
  readonly schema: z.ZodType;
  readonly document: Pick<SourceDocument, 'data' | 'lineOf'>;
}

function describe(issue: Issue, base: DocumentPath, context: Context): SchemaProblem[] {
  const path = [...base, ...issue.path.map((p) => (typeof p === 'number' ? p : String(p)))];
  const found = valueAt(context.document.data, path);
  const make = (fault: SchemaFault, problem: string, remedy: string | null = null): SchemaProblem[] => [
    { fault, line: context.document.lineOf(path), path, problem, key: null, meant: null, remedy },
  ];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, path, context));
  if (found === undefined && issue.code !== 'custom') return make('missing-key', 'is missing');
  if (issue.code === 'invalid_type') return make('wrong-type', `must be ${typeWord(issue.expected)}`);
  if (issue.code === 'invalid_union') return describeUnion(issue, path, context) ?? make('wrong-type', issue.message);
  return make('bad-value', valueWord(issue), remedyOf(issue));
}

function valueWord(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(' or ')}`;
    case 'too_small':
      return sizeWord(issue.origin, issue.minimum, issue.inclusive === true);
    case 'too_big':
      return `must be at most ${String(issue.maximum)}`;
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not allowed'}`;
    default:
      return issue.message;
  }
}

/** The branch that the value was meant for: the one whose issues lie deepest, not the one that rejects it outright. */
function describeUnion(issue: Issue, path: DocumentPath, context: Context): SchemaProblem[] | null {
  if (issue.code !== 'invalid_union') return null;
  const meant = issue.errors.find(
    (branch) => branch.length > 0 && branch.every((i) => i.path.length > 0 || isKeyIssue(i)),
  );
  return meant === undefined ? null : meant.flatMap((i) => describe(i, path, context));
}

function isKeyIssue(issue: Issue): boolean {
  return issue.code === 'unrecognized_keys' || issue.code === 'custom';
}

function unknownKey(key: string, path: DocumentPath, context: Context): SchemaProblem {
  const line = context.document.lineOf([...path, key]);
  const object = objectAt(context.schema, path, context.document.data);
  const named = object === null ? undefined : refusedKeys.get(object)?.[key];
  if (named !== undefined) return { fault: 'refused-key', line, path, key, meant: null, ...named };
  const known = object === null ? [] : Object.keys(object.def.shape);
  return {
    fault: 'unknown-key',
    line,
    path,
    key,
    meant: closestKey(key, known),
    problem: 'is not known here',
    remedy: known.length === 0 ? null : `Known here: ${known.join(', ')}.`,
  };
}

function remedyOf(issue: Issue): string | null {
  const remedy: unknown = issue.code === 'custom' ? issue.params?.['remedy'] : undefined;
  return typeof remedy === 'string' ? remedy : null;
}

const typeWords: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a string',
  boolean: 'a boolean (true or false)',
  number: 'a number',
  int: 'a whole number',
};

function typeWord(expected: string): string {
  return typeWords[expected] ?? expected;
}

function sizeWord(origin: string, minimum: number | bigint, inclusive: boolean): string {
  if (origin === 'string') return 'must not be empty';
  if (origin === 'array' || origin === 'object') return 'must not be empty';
  return inclusive ? `must be at least ${minimum}` : `must be greater than ${minimum}`;
}

function valueAt(data: unknown, path: DocumentPath): unknown {
  let at = data;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string | number, unknown>)[part];
  }
  return at;
}

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** The object schema that judges the value at `path`; of a union, the branch whose fixed values agree with the data. */
function objectAt(schema: z.ZodType, path: DocumentPath, data: unknown): z.ZodObject | null {
  const def = schema.def as unknown as Definition;
  const inner = def.innerType ?? def.in;
  if (inner !== undefined) return objectAt(inner, path, data);
  if (def.options !== undefined) {
    const branches = def.options.flatMap((option) =>
      accepts(option, data) ? (objectAt(option, path, data) ?? []) : [],
    );
    return branches[0] ?? null;
  }
  const [head, ...rest] = path;
  if (head === undefined) return def.type === 'object' ? (schema as z.ZodObject) : null;
  const below = valueAt(data, [head]);
  const shape =
    def.type === 'object' ? ((schema as z.ZodObject).def.shape as Readonly<Record<string, z.ZodType>>) : null;
  const next = shape === null ? (def.element ?? def.valueType) : shape[String(head)];
  return next === undefined ? null : objectAt(next, rest, below);
}

function accepts(option: z.ZodType, data: unknown): boolean {
  const object = objectAt(option, [], data);
  if (object === null) return (option.def as unknown as Definition).options !== undefined;
  return Object.entries(object.def.shape).every(([key, field]) => {
    const { type, values } = (field as z.ZodType).def as unknown as { type: string; values?: readonly unknown[] };
    return type !== 'literal' || values === undefined || values.includes(valueAt(data, [key]));
  });
}
