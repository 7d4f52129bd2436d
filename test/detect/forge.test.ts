import { describe, expect, it } from 'vitest';
import { forgeOf } from '../../src/detect/index.ts';

describe('the forge of a remote (CC 5.3)', () => {
  it.each([
    ['https://github.com/acme/tool.git', 'github', 'acme/tool'],
    ['https://github.com/acme/tool/', 'github', 'acme/tool'],
    ['git@github.com:acme/tool.git', 'github', 'acme/tool'],
    ['github.com:acme/tool', 'github', 'acme/tool'],
    ['ssh://git@gitlab.com:22/group/sub/tool.git', 'gitlab', 'group/sub/tool'],
    ['https://ada:hunter2@GitLab.example.org/a/b', 'gitlab', 'a/b'],
    ['git@github.corp.example:acme/tool.git', 'github', 'acme/tool'],
  ])('%s is %s, project %s', (url, forge, project) => {
    expect(forgeOf(url)).toEqual({ forge, project });
  });

  it.each([
    'https://mygithub.com/a/b',
    'https://github-mirror.example/a/b',
    'https://example.com/github/b',
    '/srv/git/github.com/a',
    'file:///srv/github.com/a',
    '../github.com',
    'https://github.com/',
    'https://[',
    '',
  ])('%s has none that is known', (url) => {
    expect(forgeOf(url)).toBeNull();
  });
});
