import { describe, expect, it } from 'vitest';
import { checkEngine } from '../../src/doctor/checks/engine.ts';
import type { DoctorContext } from '../../src/doctor/context.ts';
import { toRow } from '../../src/doctor/finding.ts';
import { facts } from './ground.ts';

describe('the engine row', () => {
  it('tells what a slow engine answered at last, not what it left open at first', () => {
    const context = {
      engine: {
        ok: true,
        value: {
          engine: { cli: '/usr/bin/podman' },
          facts: { ...facts, kind: 'podman', rootless: 'unknown' },
          usable: { ok: true, value: { ...facts, kind: 'podman', rootless: true } },
        },
      },
      settings: { ok: true, value: { selinux: 'auto' } },
      options: { host: { selinuxEnforcing: () => false } },
    } as unknown as DoctorContext;
    const [told] = checkEngine(context);
    expect(told).toMatchObject({
      outcome: 'ok',
      detail: expect.stringContaining('/usr/bin/podman, rootless') as unknown,
    });
  });

  it('says what the engine is beside the warning of a store that copies images', () => {
    const seen = { ...facts, storageDriver: 'vfs', rootless: true };
    const context = {
      engine: {
        ok: true,
        value: { engine: { cli: '/usr/bin/docker' }, facts: seen, usable: { ok: true, value: seen } },
      },
      settings: { ok: true, value: { selinux: 'auto' } },
      options: { host: { selinuxEnforcing: () => false } },
    } as unknown as DoctorContext;
    const row = toRow('engine', checkEngine(context));
    expect(row.outcome).toBe('warn');
    expect(row.detail).toContain('/usr/bin/docker, rootless');
    expect(row.errors.map((error) => error.code)).toEqual(['KRAFT_STORAGE_COPIES']);
  });
});
