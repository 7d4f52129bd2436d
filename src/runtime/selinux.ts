import { readFileSync } from 'node:fs';
import type { KraftError } from '../base/index.ts';
import { runtimeErrors } from './errors.ts';

/** What every container of this machine does about SELinux; `refusal` stops launches and is doctor's finding. */
export interface SelinuxDecision {
  readonly mode: 'relabel' | 'disable' | null;
  readonly refusal: KraftError | null;
}

/** SI 1.9: the setting matters only where the host enforces and the engine labels. */
export function decideSelinux(input: {
  readonly enforcing: boolean;
  readonly appliesLabels: boolean;
  readonly setting: 'auto' | 'relabel' | 'disable';
}): SelinuxDecision {
  if (!input.enforcing || !input.appliesLabels) return { mode: null, refusal: null };
  if (input.setting === 'auto')
    return { mode: null, refusal: runtimeErrors.create('SELINUX_CHOICE_NEEDED', undefined) };
  return { mode: input.setting, refusal: null };
}

/** Whether the kernel enforces SELinux now; false where there is no SELinux. */
export function probeSelinuxEnforcing(enforceFile = '/sys/fs/selinux/enforce'): boolean {
  try {
    return readFileSync(enforceFile, 'utf8').trim() === '1';
  } catch {
    return false;
  }
}
