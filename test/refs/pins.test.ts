import { describe, expect, it } from 'vitest';
import { filterPins, hostPins, kraftPins, parseFilterNames, renderPins, workerPins } from '../../src/refs/index.ts';

describe('the pins of git', () => {
  it('SI-9.11 I16: are exactly those of SI 2.8', () => {
    expect(Object.fromEntries(hostPins)).toEqual({
      'core.hooksPath': '/dev/null',
      'core.fsmonitor': '',
      'submodule.recurse': 'false',
      'fetch.recurseSubmodules': 'false',
      'push.recurseSubmodules': 'no',
      'diff.submodule': 'short',
      'status.submoduleSummary': 'false',
      'diff.ignoreSubmodules': 'dirty',
    });
    for (const pins of [kraftPins, workerPins]) expect(pins.slice(0, hostPins.length)).toEqual(hostPins);
    expect(hostPins.map(([key]) => key)).not.toContain('diff.external');
  });

  it('are delivered as numbered variables', () => {
    expect(
      renderPins([
        ['a.b', 'c'],
        ['d.e', ''],
      ]),
    ).toEqual({
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'a.b',
      GIT_CONFIG_VALUE_0: 'c',
      GIT_CONFIG_KEY_1: 'd.e',
      GIT_CONFIG_VALUE_1: '',
    });
  });

  it('cover every command of every filter driver', () => {
    expect(parseFilterNames('filter.lfs.clean\0filter.a.b.smudge\0filter.lfs.required\0')).toEqual(['lfs', 'a.b']);
    expect(filterPins(['a.b'])).toEqual([
      ['filter.a.b.clean', ''],
      ['filter.a.b.smudge', ''],
      ['filter.a.b.process', ''],
      ['filter.a.b.required', 'false'],
    ]);
  });
});
