import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { z } from 'zod';
import {
  documentSizeMaxBytes,
  gatherErrors,
  parseDocument,
  renderPath,
  safeLine,
  schemaProblems,
  type KraftError,
  type SchemaProblem,
  type SourceDocument,
} from '../base/index.ts';
import { configErrors } from './errors.ts';

/** A configuration file: where it lies, and what people call it (`repos.yaml`, `harnesses/claude.yaml`). */
export interface ConfigFile {
  readonly path: string;
  readonly label: string;
}

/** A document that its schema accepts. */
export interface CheckedDocument<T> {
  readonly value: T;
  readonly document: SourceDocument;
}

/** Reads and checks a file; null when it does not exist. All its problems are gathered in one error. */
export async function loadDocument<S extends z.ZodType>(
  file: ConfigFile,
  schema: S,
): Promise<CheckedDocument<z.infer<S>> | null> {
  const bytes = await readBytes(file);
  return bytes === null ? null : checkDocument(file.label, bytes, schema);
}

/** Parses and checks the bytes of a file; an empty one reads as an empty mapping. */
export async function checkDocument<S extends z.ZodType>(
  label: string,
  bytes: Uint8Array,
  schema: S,
): Promise<CheckedDocument<z.infer<S>>> {
  const document = await parseConfig(label, bytes);
  const { value, problems } = checkSchema(label, document, schema);
  throwIfAny(problems);
  // No problem means that the schema gave its value.
  return { value: value as z.infer<S>, document };
}

/** Parses the bytes of a file; throws when it is no document or no mapping. */
export async function parseConfig(label: string, bytes: Uint8Array): Promise<SourceDocument> {
  const parsed = await parseDocument(bytes);
  if (parsed.kind === 'refused') {
    const errors = parsed.problems.map((p) =>
      configErrors.create('CONFIG_NOT_YAML', {
        file: label,
        line: p.line,
        path: renderPath(p.path),
        problem: p.problem,
      }),
    );
    throwIfAny(errors);
    throw errors[0] ?? configErrors.create('CONFIG_UNREADABLE', { file: label, why: 'it is no document' });
  }
  const { document } = parsed;
  if (document.data === null) return { ...document, data: {} };
  if (typeof document.data !== 'object' || Array.isArray(document.data)) {
    const problem = 'must be a mapping at the top level';
    throw configErrors.create('CONFIG_WRONG_TYPE', { file: label, line: document.lineOf([]), path: '', problem });
  }
  return document;
}

/** Checks a document against its schema without throwing, so that a caller may add problems of its own. */
export function checkSchema<S extends z.ZodType>(
  label: string,
  document: SourceDocument,
  schema: S,
): { readonly value: z.infer<S> | null; readonly problems: readonly KraftError[] } {
  const result = schema.safeParse(document.data);
  if (result.success) return { value: result.data, problems: [] };
  return {
    value: null,
    problems: schemaProblems(schema, document, result.error).map((p) => schemaError(label, p)),
  };
}

/** Throws one error that carries all of them, ordered by line; nothing when there is none. */
export function throwIfAny(problems: readonly KraftError[]): void {
  const lineOf = (error: KraftError): number => Number(error.report.details['line'] ?? 0);
  const [first, ...rest] = [...problems].sort((a, b) => lineOf(a) - lineOf(b));
  if (first !== undefined) throw gatherErrors([first, ...rest]);
}

function schemaError(file: string, p: SchemaProblem): KraftError {
  const at = { file, line: p.line, path: renderPath(p.path), problem: p.problem };
  const key = safeLine(p.key ?? '');
  switch (p.fault) {
    case 'unknown-key':
      return configErrors.create('CONFIG_UNKNOWN_KEY', { ...at, key, meant: p.meant, known: p.remedy });
    case 'refused-key':
      return configErrors.create('CONFIG_REFUSED_KEY', { ...at, key, remedy: p.remedy ?? 'Remove it.' });
    case 'missing-key':
      return configErrors.create('CONFIG_MISSING_KEY', at);
    case 'wrong-type':
      return configErrors.create('CONFIG_WRONG_TYPE', at);
    case 'bad-value':
      return configErrors.create('CONFIG_BAD_VALUE', { ...at, remedy: p.remedy });
  }
}

/** The bytes of a file, up to one more than a document may have; null when there is no file. */
export async function readBytes(file: ConfigFile): Promise<Uint8Array | null> {
  try {
    // Non-blocking, so that a pipe in place of the file is refused and does not hang.
    await using handle = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) {
      throw configErrors.create('CONFIG_UNREADABLE', { file: file.label, why: 'it is not a regular file' });
    }
    const buffer = Buffer.alloc(documentSizeMaxBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (error instanceof Error && 'syscall' in error) {
      throw configErrors.create('CONFIG_UNREADABLE', { file: file.label, why: code ?? error.message }, error);
    }
    throw error;
  }
}
