import { describe, expect, it } from 'vitest';
import { decideSelinux, findForeignOwner, launchFailed, planPasswd, planUser } from '../../src/runtime/index.ts';

describe('the user of a container', () => {
  it.each([
    ['docker', false, { user: '1000:1001', userNamespace: null, uid: 1000, gid: 1001 }],
    ['docker', true, { user: '0:0', userNamespace: null, uid: 0, gid: 0 }],
    ['podman', false, { user: '1000:1001', userNamespace: null, uid: 1000, gid: 1001 }],
    ['podman', true, { user: '1000:1001', userNamespace: 'keep-id', uid: 1000, gid: 1001 }],
  ] as const)('on %s, rootless %s, is such that files stay the person’s (SI 1.5)', (kind, rootless, plan) => {
    expect(planUser({ kind, rootless }, 1000, 1001)).toEqual(plan);
  });

  it('stops a rootless launch over a path of another user, naming path and owner (SI 1.10)', () => {
    const error = findForeignOwner({ rootless: true }, 1000, [
      { path: '/run/home', ownerUid: 1000 },
      { path: '/run/gone', ownerUid: null },
      { path: '/run/store', ownerUid: 0 },
    ]);
    expect(error?.code).toBe('KRAFT_FOREIGN_OWNER');
    expect(error?.message).toContain('/run/store belongs to uid 0');
    expect(error?.remedy).toContain("chown -R 1000 '/run/store'");
  });

  it('stops no rootful launch, and none whose paths are the person’s or missing (SI 1.10)', () => {
    expect(findForeignOwner({ rootless: false }, 1000, [{ path: '/a', ownerUid: 0 }])).toBeNull();
    expect(findForeignOwner({ rootless: true }, 1000, [{ path: '/a', ownerUid: null }])).toBeNull();
  });
});

describe('SELinux', () => {
  it('stops launches where nothing is chosen, naming both choices (SI-9.1 A20)', () => {
    const { refusal } = decideSelinux({ enforcing: true, appliesLabels: true, setting: 'auto' });
    expect(refusal?.remedy).toMatch(/relabel.*disable/u);
  });

  it.each(['relabel', 'disable'] as const)('does what %s says where it enforces and labels', (setting) => {
    expect(decideSelinux({ enforcing: true, appliesLabels: true, setting })).toEqual({ mode: setting, refusal: null });
  });

  it.each([
    [false, true],
    [true, false],
    [false, false],
  ])('is no matter when enforcing is %s and labels are %s (SI-9.1 A21)', (enforcing, appliesLabels) => {
    for (const setting of ['auto', 'relabel', 'disable'] as const)
      expect(decideSelinux({ enforcing, appliesLabels, setting })).toEqual({ mode: null, refusal: null });
  });
});

describe('a container that was never created', () => {
  it.each([
    ['docker', null, 1, true],
    ['docker', '', 125, true],
    ['docker', '\n', 0, true],
    ['docker', 'abc', 125, false],
    ['docker', 'abc', 127, false],
    ['podman', null, 125, true],
    ['podman', null, 3, false],
    ['podman', null, 127, false],
    ['podman', 'abc', 125, true],
    ['podman', null, null, false],
  ] as const)('on %s, id file %j, exit %s: %s (SI 1.12, SI-9.1 A23)', (kind, cidFile, exitCode, failed) => {
    expect(launchFailed({ kind, cidFile, exitCode })).toBe(failed);
  });
});

describe('the passwd entry of a container’s user (PF-U05, U06)', () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n';
  const group = 'root:x:0:\nnode:x:1000:';
  it('is added where the uid has none, and the image’s own stay', () => {
    expect(planPasswd({ passwd, group, uid: 2000, gid: 2001, home: '/kraft/home' })).toEqual({
      passwd: `${passwd}kraft:x:2000:2001:Kraft:/kraft/home:/bin/sh\n`,
      group: `${group}\nkraft:x:2001:\n`,
    });
  });

  it('is not added where there is one', () => {
    expect(planPasswd({ passwd, group, uid: 1000, gid: 1000, home: '/kraft/home' })).toEqual({
      passwd: null,
      group: null,
    });
  });

  it('takes a free name, and works for an image without such files', () => {
    const taken = planPasswd({ passwd: 'kraft:x:5:5::/:/bin/sh\n', group: '', uid: 2000, gid: 2000, home: '/h' });
    expect(taken.passwd).toContain('\nkraft2:x:2000:2000:');
    expect(taken.group).toBe('kraft:x:2000:\n');
  });
});
