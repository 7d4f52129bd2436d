import type * as yamlTypes from 'yaml';
import type { Document, LineCounter, Node, ParsedNode, YAMLError, YAMLMap, YAMLSeq } from 'yaml';

/** Keys and list positions from the top of a document down to one value. */
export type DocumentPath = readonly (string | number)[];

/** Why a text cannot be taken as a document at all. `problem` is a clause without its period and never quotes a value. */
export interface DocumentProblem {
  readonly line: number;
  readonly path: DocumentPath;
  readonly problem: string;
}

/** A text as data, with the line that each part was written on. */
export interface SourceDocument {
  /** Plain mappings, lists, strings, numbers, booleans and null; null for an empty text. */
  readonly data: unknown;
  /** Line (from 1) of the key or list entry at `path`; of its nearest written ancestor when nothing is there. */
  lineOf(path: DocumentPath): number;
  /** Starts changing a copy; what is not touched keeps its comments, order and keys. */
  edit(): DocumentEdit;
}

export interface DocumentEdit {
  /** Puts `value` at `path`, making the mappings on the way. */
  set(path: DocumentPath, value: unknown): void;
  /** Adds `value` to the list at `path`, making the list. */
  append(path: DocumentPath, value: unknown): void;
  remove(path: DocumentPath): void;
  render(): string;
}

export type ParsedDocument =
  | { readonly kind: 'document'; readonly document: SourceDocument }
  | { readonly kind: 'refused'; readonly problems: readonly [DocumentProblem, ...DocumentProblem[]] };

/** What a person writes fits many times; more would let a wrong file keep the parser busy for seconds. */
export const documentSizeMaxBytes = 256 * 1024;
const depthMax = 32;
// One slip of syntax makes the parser complain about much of what follows.
const syntaxProblemsMax = 5;

/**
 * Reads strict YAML 1.2: UTF-8, one document, text keys written once, no anchors, aliases, tags or directives.
 * Nothing of the text's values is quoted in a problem, because a value may be a secret.
 */
export async function parseDocument(bytes: Uint8Array): Promise<ParsedDocument> {
  if (bytes.byteLength > documentSizeMaxBytes) {
    return refused([{ line: 1, path: [], problem: `is larger than ${documentSizeMaxBytes / 1024} KiB` }]);
  }
  const text = decode(bytes);
  if (text === null) return refused([{ line: firstBadLine(bytes), path: [], problem: 'is not UTF-8 text' }]);
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  try {
    const tree = yaml.parseDocument(text, { ...options, lineCounter: lines });
    const walk = new Walk(yaml, lines);
    const problems = [...tree.errors, ...tree.warnings].slice(0, syntaxProblemsMax).map((e) => syntaxProblem(e, lines));
    if (problems.length === 0) problems.push(...directiveProblems(tree));
    const data = problems.length === 0 ? walk.read(tree.contents, []) : null;
    problems.push(...walk.problems);
    return problems.length > 0
      ? refused(problems)
      : { kind: 'document', document: sourceDocument(yaml, text, data, walk.lines) };
  } catch (error) {
    // The parser recurses: only nesting far beyond `depthMax` exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
    return refused([{ line: 1, path: [], problem: 'is nested too deeply' }]);
  }
}

type Yaml = typeof yamlTypes;

// Duplicate keys are looked for by the walk, which knows both lines and takes linear time.
const options = {
  version: '1.2',
  schema: 'core',
  strict: true,
  uniqueKeys: false,
  prettyErrors: false,
  merge: false,
  resolveKnownTags: false,
  // At 'silent' the parser would drop every document but the first without a word.
  logLevel: 'error',
} as const;

function refused(problems: readonly DocumentProblem[]): ParsedDocument {
  const [first, ...rest] = problems;
  return { kind: 'refused', problems: [first ?? { line: 1, path: [], problem: 'cannot be read' }, ...rest] };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, start)) {
    if (decode(bytes.subarray(start, at)) === null) return line;
    line += 1;
    start = at + 1;
  }
  return line;
}

const syntaxWords: Readonly<Record<string, string>> = {
  BAD_INDENT: 'is indented in a way that YAML cannot read',
  TAB_AS_INDENT: 'is indented with a tab; YAML takes spaces',
  MISSING_CHAR: 'lacks a closing quote, bracket, comma or colon',
  BAD_SCALAR_START: 'has a value that starts with a character YAML keeps for itself; put the value in quotes',
  BAD_DQ_ESCAPE: 'has an unknown escape inside double quotes',
  BLOCK_AS_IMPLICIT_KEY: 'has a colon inside a value; put the value in quotes',
  MULTILINE_IMPLICIT_KEY: 'has a key that goes over several lines',
  MULTIPLE_DOCS: 'holds more than one document',
  TAG_RESOLVE_FAILED: 'has a tag (`!…`), which is not read',
  BAD_ALIAS: 'has an alias (`*name`), which is not read; put a value that starts with * in quotes',
  BAD_DIRECTIVE: 'has a directive (`%…`), which is not read',
  RESOURCE_EXHAUSTION: 'is nested too deeply',
  UNEXPECTED_TOKEN: 'has something here that YAML does not expect',
};

function syntaxProblem(error: YAMLError, lines: LineCounter): DocumentProblem {
  const line = Math.max(1, lines.linePos(error.pos[0]).line);
  return { line, path: [], problem: syntaxWords[error.code] ?? 'is not valid YAML' };
}

function directiveProblems(tree: Document.Parsed): DocumentProblem[] {
  const { yaml, tags } = tree.directives;
  const plain = yaml.explicit !== true && Object.keys(tags).every((handle) => handle === '!!');
  return plain ? [] : [{ line: 1, path: [], problem: syntaxWords['BAD_DIRECTIVE'] ?? '' }];
}

/** One pass over the tree: data, lines, and what YAML allows but Kraft does not. */
class Walk {
  readonly lines = new Map<string, number>();
  readonly problems: DocumentProblem[] = [];
  readonly #yaml: Yaml;
  readonly #counter: LineCounter;

  constructor(yaml: Yaml, counter: LineCounter) {
    this.#yaml = yaml;
    this.#counter = counter;
  }

  read(node: ParsedNode | null, path: DocumentPath): unknown {
    if (node === null) return null;
    const line = this.#lineAt(node);
    if (!this.lines.has(keyOf(path))) this.lines.set(keyOf(path), line);
    if (this.#yaml.isAlias(node) || node.anchor !== undefined) {
      return this.#refuse(line, path, 'uses an anchor or alias, which is not read; write the value out');
    }
    if (node.tag !== undefined) return this.#refuse(line, path, syntaxWords['TAG_RESOLVE_FAILED'] ?? '');
    if (path.length > depthMax) return this.#refuse(line, path, 'is nested too deeply');
    if (this.#yaml.isSeq(node)) return this.#list(node, path);
    if (this.#yaml.isMap(node)) return this.#mapping(node, path);
    return node.value;
  }

  #list(node: YAMLSeq<ParsedNode>, path: DocumentPath): unknown[] {
    return node.items.map((item, i) => this.read(item, [...path, i]));
  }

  #mapping(node: YAMLMap<ParsedNode, ParsedNode | null>, path: DocumentPath): Record<string, unknown> {
    const data: Record<string, unknown> = {};
    for (const { key, value } of node.items) {
      const line = this.#lineAt(key);
      if (!this.#yaml.isScalar(key) || typeof key.value !== 'string' || key.value === '__proto__') {
        this.#refuse(line, path, 'has a key that is not text; put it in quotes');
        continue;
      }
      const at = [...path, key.value];
      if (key.anchor !== undefined || key.tag !== undefined) {
        this.#refuse(line, at, 'has an anchor or a tag on its key, which is not read');
      } else if (Object.hasOwn(data, key.value)) {
        this.#refuse(line, at, `is written twice, first on line ${this.lines.get(keyOf(at)) ?? 1}`);
      } else {
        this.lines.set(keyOf(at), line);
        data[key.value] = this.read(value, at);
      }
    }
    return data;
  }

  #refuse(line: number, path: DocumentPath, problem: string): null {
    this.problems.push({ line, path, problem });
    return null;
  }

  #lineAt(node: Node): number {
    return Math.max(1, this.#counter.linePos(node.range?.[0] ?? 0).line);
  }
}

function keyOf(path: DocumentPath): string {
  return JSON.stringify(path);
}

function sourceDocument(yaml: Yaml, text: string, data: unknown, lines: ReadonlyMap<string, number>): SourceDocument {
  return {
    data,
    lineOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const line = lines.get(keyOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
    edit: () => documentEdit(yaml, text),
  };
}

function documentEdit(yaml: Yaml, text: string): DocumentEdit {
  // Parsed anew: an edit never changes the document that it came from.
  const tree: Document = yaml.parseDocument(text, options);
  const set = (path: DocumentPath, value: unknown): void => {
    if (tree.contents === null) tree.contents = tree.createNode({});
    const node = tree.createNode(value);
    const old = tree.getIn(path, true);
    if (yaml.isNode(old) && typeof old.comment === 'string') node.comment = old.comment;
    tree.setIn(path, node);
  };
  return {
    set,
    append(path, value) {
      const list = tree.getIn(path);
      if (!yaml.isSeq(list)) {
        set(path, [value]);
        return;
      }
      // `repos: []` would go on as one long line.
      if (list.items.length === 0) list.flow = false;
      list.add(tree.createNode(value));
    },
    remove: (path) => void tree.deleteIn(path),
    render: () => tree.toString({ lineWidth: 0, flowCollectionPadding: false }),
  };
}
