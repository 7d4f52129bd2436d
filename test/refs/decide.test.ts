import { describe, expect, it } from 'vitest';
import {
  ancestors,
  decidePublish,
  decideStore,
  explainConflict,
  movedGitlinks,
  parseEntries,
  parseSidecar,
  storeLayout,
  type Sidecar,
} from '../../src/refs/index.ts';

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);
const sidecar: Sidecar = {
  work_item_id: 'i',
  common: '/r/.git',
  worktree_gitdir: '/r/.git/worktrees/i',
  branch: 'kraft/i',
  synced: a,
  sessions: ['s1', 's2'],
};

describe('deciding whether to publish (SI 2.4)', () => {
  const facts = { recordedBranch: 'kraft/i', branch: 'kraft/i', stored: b, synced: a };
  it.each([
    ['a new value', {}, { kind: 'publish', to: b }],
    ['a branch that did not exist', { synced: null }, { kind: 'publish', to: b }],
    ['the value as it was', { stored: a }, { kind: 'unchanged' }],
    ['the store of a setup command', { recordedBranch: null }, { kind: 'unchanged' }],
    ['a branch that never was', { stored: null, synced: null }, { kind: 'unchanged' }],
    [
      'another branch',
      { recordedBranch: 'kraft/j' },
      { kind: 'refuse', reason: 'the ref store belongs to the branch kraft/j' },
    ],
    [
      'no value',
      { stored: null },
      { kind: 'refuse', reason: 'the session left no commit that can be read on kraft/i' },
    ],
  ])('%s', (_name, change, expected) => {
    expect(decidePublish({ ...facts, ...change })).toEqual(expected);
  });

  it.each([
    [null, a, 'the branch kraft/i was deleted in the repository'],
    [b, a, 'the branch kraft/i was moved in the repository'],
    [b, null, 'the branch kraft/i was moved in the repository'],
    [a, a, 'git refused to move kraft/i: no space'],
  ])('explains a conflict: now %s, last %s', (current, synced, expected) => {
    expect(explainConflict({ branch: 'kraft/i', current, synced, gitSaid: 'no space' })).toBe(expected);
  });
});

describe('deciding between reuse and rebuild (SI 2.3)', () => {
  const facts = { sidecar, exists: true, branch: 'kraft/i', sessionId: 's3', liveSessionIds: ['s1', 's3'] };
  it.each([
    ['a live session that mounted it', {}, 'reuse'],
    ['live sessions that never mounted it', { liveSessionIds: ['s8', 's9'] }, 'rebuild'],
    ['nobody but itself', { sessionId: 's1', liveSessionIds: ['s1'] }, 'rebuild'],
    ['a live session of another branch', { branch: 'kraft/j' }, 'rebuild'],
    ['the store of a setup command', { sidecar: { ...sidecar, branch: null, sessions: [] } }, 'rebuild'],
    ['a setup command', { sessionId: null, liveSessionIds: [] }, 'reuse'],
    ['a store without a record', { sidecar: null }, 'build'],
    ['a record without a store', { exists: false }, 'build'],
  ])('%s', (_name, change, expected) => {
    expect(decideStore({ ...facts, ...change })).toBe(expected);
  });

  it('gives each worktree its own place, with the record outside of all that is mounted', () => {
    const layout = storeLayout('/run', '/r/.git/worktrees/i');
    expect(layout.dir).toMatch(/^\/run\/sandbox-git\/i-[0-9a-f]{16}$/u);
    expect(layout).toEqual({
      dir: layout.dir,
      adminDir: `${layout.dir}.worktree`,
      shadowDir: `${layout.dir}.ro`,
      sidecar: `${layout.dir}.json`,
    });
    expect(storeLayout('/run', '/q/.git/worktrees/i').dir).not.toBe(layout.dir);
  });

  it('takes a record only in its exact shape', () => {
    expect(parseSidecar(JSON.stringify(sidecar))).toEqual(sidecar);
    for (const bad of [
      '',
      '[]',
      '{}',
      'null',
      JSON.stringify({ ...sidecar, sessions: 's' }),
      JSON.stringify({ ...sidecar, extra: 1 }),
    ]) {
      expect(parseSidecar(bad)).toBeNull();
    }
  });
});

describe('finding what was planted (SI 2.7)', () => {
  it('reads index and tree listings, and tells added and moved gitlinks', () => {
    const index = parseEntries(
      `100644 ${a} 0\tsrc/a b\n.txt\x00160000 ${b} 0\tmoved\x00160000 ${a} 0\tadded\x00160000 ${a} 0\tsame\0`,
    );
    const base = parseEntries(`160000 commit ${a}\tmoved\x00160000 commit ${a}\tsame\x00100644 blob ${a}\tadded\0`);
    expect(index[0]).toEqual({ mode: '100644', objectId: a, path: 'src/a b\n.txt' });
    expect(movedGitlinks(index, base)).toEqual(['moved', 'added']);
    expect(movedGitlinks(base, base)).toEqual([]);
  });

  it('lists every directory above the paths, parents first', () => {
    expect(ancestors(['a/b/c', 'a/d', 'x', 'e/'])).toEqual(['a', 'e', 'a/b']);
  });
});
