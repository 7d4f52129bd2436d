import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { branchName, isBranchName, isObjectId } from '../../src/refs/index.ts';

describe('naming the branch of an item', () => {
  it.each([
    ['Fix the login page', 'kraft/abc23456-fix-the-login-page'],
    ['  Ünïcode & "quotes"/slashes.lock ', 'kraft/abc23456-unicode-quotes-slashes-lock'],
    ['日本語', 'kraft/abc23456'],
    ['', 'kraft/abc23456'],
    ['a'.repeat(100), `kraft/abc23456-${'a'.repeat(40)}`],
    ['one two three four five six seven eight nine ten', 'kraft/abc23456-one-two-three-four-five-six-seven-eight'],
    ['--upload-pack=x ..', 'kraft/abc23456-upload-pack-x'],
  ])('%j gives %s', (title, expected) => {
    expect(branchName('abc23456', title)).toBe(expected);
    expect(isBranchName(expected)).toBe(true);
  });

  it('accepts a branch name only where git does', () => {
    const names = [
      'main',
      'a/b',
      'HEAD',
      '@',
      '-x',
      'a..b',
      'a b',
      'a:b',
      '+a',
      'a.lock',
      'a/.b',
      'a/',
      '/a',
      'a//b',
      'a.',
      'a@{b',
      'a\\b',
      'a~1',
      'a^',
      'a?',
      'a*',
      'a[b',
      'ü',
      '@x',
      'a\u007f',
      '',
    ];
    for (const name of names) {
      const git = accepts(name);
      expect([name, isBranchName(name) && !git], 'never wider than git').toEqual([name, false]);
    }
    expect(names.filter((name) => isBranchName(name))).toEqual(['main', 'a/b', '+a', 'ü', '@x']);
  });

  it.each([
    ['a'.repeat(40), true],
    ['a'.repeat(64), true],
    ['A'.repeat(40), false],
    ['a'.repeat(41), false],
    [`${'a'.repeat(40)}\n`, false],
    ['', false],
  ])('object id %j: %s', (text, expected) => {
    expect(isObjectId(text)).toBe(expected);
  });
});

function accepts(name: string): boolean {
  try {
    execFileSync('git', ['check-ref-format', '--branch', name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
