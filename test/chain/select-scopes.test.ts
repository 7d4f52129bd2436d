import { describe, expect, test } from 'vitest';
import { globToRegExp, selectScopes } from '../../src/chain/index.ts';
import type { TestScope } from '../../src/config/index.ts';

const web: TestScope = { paths: ['web/**'], command: 'npm test' };
const api: TestScope = { paths: ['api/**', 'proto/*.proto'], command: 'go test ./...' };

function select(
  changed: readonly string[],
  scopes: readonly TestScope[] = [web, api],
  areas: Parameters<typeof selectScopes>[0]['areas'] = {},
): ReturnType<typeof selectScopes> {
  return selectScopes({ tests: { kind: 'scopes', scopes }, areas }, changed);
}

describe('selectScopes (CC 6.5)', () => {
  test('chooses the scopes whose globs match a changed path', () => {
    expect(select(['web/a/b.ts'])).toMatchObject({ scopes: [{ command: 'npm test', area: null }], uncovered: null });
    expect(select(['proto/x.proto', 'web/c'])).toMatchObject({ scopes: [{ command: 'npm test' }, api] });
  });

  test('chooses every scope for a path that none covers, and names that path', () => {
    expect(select(['web/a', 'README.md'])).toMatchObject({ scopes: [web, api], uncovered: 'README.md' });
  });

  test('has nothing to run when nothing changed', () => {
    expect(select([])).toEqual({ kind: 'unchanged' });
  });

  test('tells none on purpose from nothing declared', () => {
    expect(selectScopes({ tests: { kind: 'none' }, areas: {} }, ['a'])).toEqual({ kind: 'none' });
    expect(selectScopes({ tests: { kind: 'undeclared' }, areas: {} }, ['a'])).toEqual({ kind: 'undeclared' });
  });

  test('adds the scopes of areas, and the setup of an area once', () => {
    const areas = {
      docs: {
        paths: ['docs/**'],
        setup: 'make deps',
        scopes: [
          { paths: ['docs/**'], command: 'make check' },
          { paths: ['docs/a/**'], command: 'make a' },
        ],
      },
      none: { paths: ['x/**'], setup: '', scopes: [{ paths: ['x/**'], command: 'make x' }] },
    };
    expect(select(['docs/a/1'], [web], areas)).toEqual({
      kind: 'scopes',
      scopes: [
        { area: 'docs', paths: ['docs/**'], command: 'make check' },
        { area: 'docs', paths: ['docs/a/**'], command: 'make a' },
      ],
      areaSetups: { docs: 'make deps' },
      uncovered: null,
    });
    expect(select(['x/1'], [web], areas)).toMatchObject({ areaSetups: {} });
  });
});

describe('globToRegExp', () => {
  test.each([
    ['**', 'a/.b/c', true],
    ['src/**', 'src/.hidden/x', true],
    ['src/**', 'srcx/a', false],
    ['src/', 'src/a/b', true],
    ['./src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['**/*.md', 'README.md', true],
    ['**/*.md', 'a/b/README.md', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['?.ts', 'ab.ts', false],
    ['[ab].ts', 'b.ts', true],
    ['[!ab].ts', 'b.ts', false],
    ['*.{js,ts}', 'x.ts', true],
    ['*.{js,ts}', 'x.tsx', false],
    ['a.b', 'axb', false],
    ['a+(b)', 'a+(b)', true],
    ['web/**', 'web/line\nbreak', true],
  ])('%s on %s is %s', (glob, path, expected) => {
    expect(globToRegExp(glob).test(path)).toBe(expected);
  });
});
