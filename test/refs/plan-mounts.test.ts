import { describe, expect, it } from 'vitest';
import { planStoreMounts, renderAlternates, storeLayout, type MountFacts } from '../../src/refs/index.ts';

const common = '/r/.git';
const adminDir = '/r/.git/worktrees/i';
const layout = storeLayout('/run', adminDir);
const paths = { alternateObjects: '/kraft/alternate/objects', alternateLfs: '/kraft/alternate/lfs' };
const facts: MountFacts = {
  commonDir: common,
  adminDir,
  worktree: '/run/worktrees/i',
  objects: [
    { objects: '/r/.git/objects', lfs: '/r/.git/lfs', hasInfo: true },
    { objects: '/far/objects', lfs: null, hasInfo: false },
  ],
  hasShallow: true,
  hasInfo: true,
};

describe('the mounts of a ref store', () => {
  it('SI-9.1 A3 to A8: are these, outer before inner', () => {
    const shown = planStoreMounts(facts, layout, paths).map(
      (m) => `${m.readOnly ? 'ro' : 'rw'} ${m.source.replace(layout.dir, 'S')} ${m.target}`,
    );
    expect(shown).toEqual([
      'rw S /r/.git',
      'ro /r/.git/HEAD /r/.git/HEAD',
      'ro S.ro/config /r/.git/config',
      'ro /r/.git/shallow /r/.git/shallow',
      'ro /r/.git/info /r/.git/info',
      'ro S.ro/objects-info /r/.git/objects/info',
      'ro /r/.git/objects /kraft/alternate/objects',
      'ro S.ro/empty /kraft/alternate/objects/info',
      'ro /r/.git/lfs /kraft/alternate/lfs',
      'ro /far/objects /kraft/alternate/1/objects',
      'ro S.ro/git-file /run/worktrees/i/.git',
      'rw S.worktree /r/.git/worktrees/i',
      'ro S.ro/commondir /r/.git/worktrees/i/commondir',
      'ro S.ro/config.worktree /r/.git/worktrees/i/config.worktree',
      'ro S.ro/gitdir /r/.git/worktrees/i/gitdir',
    ]);
  });

  it.each([
    [{ hasShallow: false, hasInfo: false }],
    [{ objects: [{ objects: '/r/.git/objects', lfs: null, hasInfo: true }] }],
    [{}],
  ])('SI-9.1 A2 A3 A5: writes into nothing of the person’s, whatever is there: %j', (change) => {
    const mounts = planStoreMounts({ ...facts, ...change }, layout, paths);
    const writable = mounts.filter((m) => !m.readOnly);
    expect(writable.map((m) => m.source)).toEqual([layout.dir, layout.adminDir]);
    for (const { source, target } of writable) {
      expect(source === common || source.startsWith(`${common}/`)).toBe(false);
      expect(target).not.toMatch(/\/(?:hooks|modules|refs|config|objects)(?:\/|$)/u);
    }
  });

  it('has no read-only source inside what a worker can write', () => {
    for (const { source, readOnly } of planStoreMounts(facts, layout, paths)) {
      if (!readOnly) continue;
      for (const dir of [layout.dir, layout.adminDir, facts.worktree]) expect(source.startsWith(`${dir}/`)).toBe(false);
    }
  });

  it('lists the alternates flat, by their paths in the container', () => {
    expect(renderAlternates(paths, 3)).toBe(
      '/kraft/alternate/objects\n/kraft/alternate/1/objects\n/kraft/alternate/2/objects\n',
    );
  });
});
