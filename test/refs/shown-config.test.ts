import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  configFlag,
  configValue,
  parseConfigList,
  parseScopedConfig,
  renderConfig,
  shownConfig,
  withoutUserInfo,
} from '../../src/refs/index.ts';

describe('the configuration that a worker is shown', () => {
  it('holds what describes the repository and nothing that may be a secret or a command of the person', () => {
    const secrets = [
      'credential.helper',
      'credential.https://h/.username',
      'http.extraheader',
      'http.https://h/.cookiefile',
      'http.proxy',
      'url.https://token@h/.insteadof',
      'include.path',
      'includeif.gitdir:x.path',
      'core.sshcommand',
      'core.askpass',
      'core.hookspath',
      'core.fsmonitor',
      'core.worktree',
      'commit.gpgsign',
      'user.signingkey',
      'gpg.program',
      'remote.origin.proxy',
      'remote.origin.uploadpack',
      'sendemail.smtppass',
      'lfs.https://u:p@h/.access',
      'alias.x',
      'lfs.storage',
    ];
    const kept = [
      'core.autocrlf',
      'user.name',
      'remote.origin.fetch',
      'extensions.objectformat',
      'branch.main.merge',
      'filter.lfs.clean',
    ];
    const entries = [...secrets, ...kept].map((key) => ({ key, value: 'x' }));
    expect(shownConfig(entries).map(({ key }) => key)).toEqual(kept);
  });

  it.each([
    ['https://user:pw@host/r.git', 'https://host/r.git'],
    ['https://token@host/r.git', 'https://host/r.git'],
    ['ssh://git@host/r.git', 'ssh://git@host/r.git'],
    ['ssh://git:pw@host/r.git', 'ssh://git@host/r.git'],
    ['git@host:r.git', 'git@host:r.git'],
    ["fatal: unable to access 'http://u:p@h/': no", "fatal: unable to access 'http://h/': no"],
    ['https://u:p@ss@host/x', 'https://host/x'],
    ['/plain/path@2', '/plain/path@2'],
  ])('takes secrets out of %j', (text, expected) => {
    expect(withoutUserInfo(text)).toBe(expected);
  });

  it('is read back by git as it was', () => {
    const entries = [
      { key: 'core.bare', value: null },
      { key: 'user.name', value: ' "Ann"\\\t; # x\ny ' },
      { key: 'remote.we"ird\\ .Name.url', value: '' },
      { key: 'branch.a.b.c.merge', value: 'refs/heads/a.b.c' },
    ];
    const text = renderConfig(entries);
    const read = execFileSync('git', ['config', '--file', '-', '--list', '-z'], { input: text, encoding: 'utf8' });
    expect(parseConfigList(read)).toEqual(entries);
  });

  it('reads values and flags as git does', () => {
    const entries = parseConfigList('a.b\nfalse\0a.b\nyes\0c.d\0e.f\n0\0g.h\nx\ny\0');
    expect(configValue(entries, 'a.b')).toBe('yes');
    expect(configValue(entries, 'g.h')).toBe('x\ny');
    expect(configValue(entries, 'x.y')).toBeNull();
    expect(['a.b', 'c.d', 'e.f', 'x.y'].map((key) => configFlag(entries, key))).toEqual([true, true, false, false]);
    expect(parseScopedConfig('local\0a.b\nc\0command\0d.e\0')).toEqual([
      { scope: 'local', key: 'a.b', value: 'c' },
      { scope: 'command', key: 'd.e', value: null },
    ]);
  });
});
