import { describe, expect, it } from 'vitest';
import {
  closestKey,
  documentSizeMaxBytes,
  parseDocument,
  renderPath,
  type SourceDocument,
} from '../../src/base/index.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function open(text: string): Promise<SourceDocument> {
  const parsed = await parseDocument(bytes(text));
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.document;
}

async function refusals(text: string | Uint8Array): Promise<readonly string[]> {
  const parsed = await parseDocument(typeof text === 'string' ? bytes(text) : text);
  return parsed.kind === 'document' ? [] : parsed.problems.map((p) => `${p.line} ${renderPath(p.path)} ${p.problem}`);
}

describe('a document', () => {
  it('is plain data with the line of each key and list entry', async () => {
    const document = await open('a: 1\nb:\n  - x\n  - c: true\n    d: null\n');
    expect(document.data).toEqual({ a: 1, b: ['x', { c: true, d: null }] });
    expect([['a'], ['b'], ['b', 0], ['b', 1], ['b', 1, 'd']].map((path) => document.lineOf(path))).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  it('answers the nearest written ancestor for what is not there', async () => {
    const document = await open('a:\n  b: 1\n');
    expect(document.lineOf(['a', 'missing', 0])).toBe(1);
    expect(document.lineOf(['nowhere'])).toBe(1);
  });

  it('reads YAML 1.2: `yes`, `0o17` and `<<` mean what they say', async () => {
    const document = await open('a: yes\nb: 0o17\nc: 010\n"<<": {x: 1}\n');
    expect(document.data).toEqual({ a: 'yes', b: 15, c: 10, '<<': { x: 1 } });
  });

  it('is null when the text is empty or only comments', async () => {
    expect((await open('')).data).toBeNull();
    expect((await open('# nothing\n')).data).toBeNull();
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['a duplicate key', 'a: 1\nb: 2\na: 3\n', /^3 a is written twice, first on line 1$/],
    ['a duplicate key deep inside', 'a:\n  - {b: 1,\n     b: 2}\n', /^3 a\[0\]\.b is written twice, first on line 2$/],
    ['an alias', 'a: &x 1\nb: *x\n', /anchor or alias/],
    ['an alias bomb', 'a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]\n', /anchor or alias/],
    ['a tag', 'a: !!binary aGk=\n', /tag/],
    ['a directive', '%YAML 1.1\n---\na: yes\n', /^1 .*directive/],
    ['two documents', 'a: 1\n---\nb: 2\n', /^2 .*more than one document/],
    ['a number as a key', '1: x\n', /^1 .*key that is not text/],
    ['a mapping as a key', '? {a: 1}\n: x\n', /key that is not text/],
    ['a prototype as a key', '__proto__: {a: 1}\n', /key that is not text/],
    ['a tab', 'a:\n  b: 1\n\tc: 1\n', /tab/],
    ['an unclosed bracket', 'a: [1, 2\n', /^2 /],
    ['an unclosed quote', 'a: "x\n', /closing/],
    ['a colon inside a value', 'a: b: c\n', /^1 .*colon/],
    ['nesting beyond reason', `a: ${'['.repeat(60)}${']'.repeat(60)}\n`, /nested too deeply/],
    ['nesting that exhausts the parser', `a: ${'['.repeat(20_000)}`, /nested too deeply/],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0x31, 0x0a, 0x62, 0x3a, 0xff]), /^2 .*not UTF-8/],
    ['a text beyond the bound', `a: ${'x'.repeat(documentSizeMaxBytes)}`, /^1 .*larger than 256 KiB/],
  ])('is refused with its line for %s', async (_name, text, expected) => {
    const found = await refusals(text);
    expect(found.join('\n')).toMatch(expected);
  });

  it('finds every problem in one pass and quotes no value', async () => {
    const found = await refusals('a: 1\na: hunter2\nb: *hunter2\n');
    expect(found).toHaveLength(2);
    expect(found.join()).not.toContain('hunter2');
  });
});

describe('an edit', () => {
  const text = '# top\na: 1 # one\n\n# list\nlist:\n  # first\n  - x\n  - y # why\nzz: {k: [1]}\n';

  it('keeps comments, order and keys of what it does not touch', async () => {
    const edit = (await open(text)).edit();
    edit.append(['list'], { p: 'q' });
    edit.set(['a'], 2);
    expect(edit.render()).toBe(
      '# top\na: 2 # one\n\n# list\nlist:\n  # first\n  - x\n  - y # why\n  - p: q\nzz: {k: [1]}\n',
    );
  });

  it('removes an entry and leaves the others as they are', async () => {
    const edit = (await open(text)).edit();
    edit.remove(['list', 0]);
    expect(edit.render()).toContain('  - y # why');
    expect(edit.render()).not.toContain('- x');
  });

  it('makes what is missing on the way', async () => {
    const edit = (await open('# only a comment\n')).edit();
    edit.append(['repos'], 'x');
    expect(edit.render()).toBe('# only a comment\n\nrepos:\n  - x\n');
  });

  it('does not change the document that it came from', async () => {
    const document = await open('a: 1\n');
    document.edit().set(['a'], 2);
    expect(document.edit().render()).toBe('a: 1\n');
  });
});

describe('the closest key', () => {
  it.each([
    ['automated_reviews', 'automated_review'],
    ['nmae', 'name'],
    ['xx', 'id'],
    ['something_else', null],
    ['nam', 'name'],
  ])('of %s is %s', (key, expected) => {
    expect(closestKey(key, ['name', 'automated_review', 'id', 'path'])).toBe(expected);
  });

  it('is the alphabetically first of equals', () => {
    expect(closestKey('bat', ['rat', 'cat'])).toBe('cat');
  });
});
