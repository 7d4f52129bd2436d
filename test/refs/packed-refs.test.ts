import { describe, expect, it } from 'vitest';
import {
  findPackedRef,
  isObjectId,
  parseAlternates,
  parseLooseRef,
  parseRefList,
  parseSidecar,
  renderPackedRefs,
  visibleRefs,
  type ListedRef,
} from '../../src/refs/index.ts';

const id = (digit: string): string => digit.repeat(40);

/** Deterministic noise, so that a failure can be seen again. */
function* noise(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

function randomText(random: Generator<number, never>, pieces: readonly string[]): string {
  let text = '';
  for (let left = random.next().value % 30; left > 0; left -= 1)
    text += pieces[random.next().value % pieces.length] ?? '';
  return text;
}

describe('refs that a worker wrote', () => {
  it.each([
    [`${id('a')}\n`, id('a')],
    [id('a'), id('a')],
    ['b'.repeat(64), 'b'.repeat(64)],
    ['ref: refs/heads/main\n', null],
    [`${id('a')}\n\n`, null],
    [` ${id('a')}`, null],
    [`${id('a')} junk`, null],
    [id('A'), null],
    ['', null],
    ['\0', null],
  ])('a loose ref %j is %s', (text, expected) => {
    expect(parseLooseRef(text)).toBe(expected);
  });

  it('a packed ref counts only under its whole name and as a bare id', () => {
    const ref = 'refs/heads/kraft/x';
    expect(findPackedRef(`# pack-refs with: peeled\n${id('1')} ${ref}\n^${id('2')}\n`, ref)).toBe(id('1'));
    expect(findPackedRef(`${id('1')} ${ref}y\n${id('2')} x${ref}\n${id('3')}  ${ref}\n`, ref)).toBeNull();
    expect(findPackedRef(`${id('1')} ${ref}\n${id('4')} ${ref}\n`, ref)).toBe(id('4'));
    expect(findPackedRef(`${id('1')} ${ref}\nzz ${ref}\n`, ref)).toBeNull();
    expect(findPackedRef('', ref)).toBeNull();
  });

  it('whatever the bytes, the answer is null or an object id that stands in them', () => {
    const ref = 'refs/heads/kraft/x';
    const pieces = [
      id('1'),
      id('a'),
      'c'.repeat(64),
      ref,
      ' ',
      '\n',
      '\r',
      '^',
      '#',
      '\0',
      'ref: ',
      'é',
      '\t',
      '0x',
      '..',
    ];
    const random = noise(7);
    for (let round = 0; round < 5_000; round += 1) {
      const text = randomText(random, pieces);
      for (const found of [parseLooseRef(text), findPackedRef(text, ref)]) {
        expect(found === null || (isObjectId(found) && text.includes(found))).toBe(true);
      }
      expect(() => [parseRefList(text), parseSidecar(text), parseAlternates(text, '/o')]).not.toThrow();
    }
  });
});

describe('the refs that a worker is shown', () => {
  it('gives back what was listed', () => {
    const random = noise(11);
    for (let round = 0; round < 200; round += 1) {
      const refs: ListedRef[] = Array.from({ length: 1 + (random.next().value % 20) }, (_none, at) => ({
        name: `refs/heads/b${at}/${random.next().value}`,
        objectId: (random.next().value % 16).toString(16).repeat(40),
        symref: null,
      }));
      const listed = refs.map((ref) => `${ref.objectId} ${ref.name} `).join('\n');
      expect(parseRefList(listed)).toEqual(refs);
      const packed = renderPackedRefs(visibleRefs(refs, 'refs/kraft/base/x'));
      for (const ref of refs) expect(findPackedRef(packed, ref.name)).toBe(ref.objectId);
    }
  });

  it('leaves out stashes, per-worktree refs and Kraft’s refs of other items, and sorts as git does', () => {
    const names = [
      'refs/tags/b',
      'refs/stash',
      'refs/kraft/base/me',
      'refs/kraft/base/you',
      'refs/bisect/bad',
      'refs/worktree/x',
      'refs/heads/Z',
      'refs/heads/a',
    ];
    const refs = names.map((name) => ({ name, objectId: id('1'), symref: null }));
    expect(visibleRefs(refs, 'refs/kraft/base/me').map(({ name }) => name)).toEqual([
      'refs/heads/Z',
      'refs/heads/a',
      'refs/kraft/base/me',
      'refs/tags/b',
    ]);
  });
});

describe('alternates', () => {
  it('SI 2.5: skips blanks and comments, and resolves relative entries', () => {
    const text = '# comment\n\n/abs/objects\n../../other/objects\n  \n"/quoted \\"x\\"/objects"\n';
    expect(parseAlternates(text, '/repo/.git/objects')).toEqual([
      '/abs/objects',
      '/repo/other/objects',
      '/quoted "x"/objects',
    ]);
  });
});
