import { describe, expect, it } from 'vitest';
import { checkEngine } from '../../src/doctor/checks/engine.ts';
import type { DoctorContext } from '../../src/doctor/context.ts';
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
});
