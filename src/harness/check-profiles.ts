import type { KraftError } from '../base/index.ts';
import type { HarnessProfiles } from '../config/index.ts';
import { harnessErrors } from './errors.ts';
import type { Capability, Harness } from './harness.ts';
import type { HarnessSet } from './load.ts';
import { matchesValues } from './schema.ts';

/** What `harnesses.yaml` names that the harness files do not have, or do not take; every fault of it (CC 4.2, 7.1). Pure. */
export function checkProfiles(profiles: HarnessProfiles, harnesses: HarnessSet): readonly KraftError[] {
  return [...checkHarnessProfiles(profiles, harnesses), ...checkAgentProfiles(profiles, harnesses)];
}

function checkHarnessProfiles({ harnesses: profiles }: HarnessProfiles, harnesses: HarnessSet): KraftError[] {
  return Object.entries(profiles).flatMap(([name, profile]) => {
    const harness = harnesses.get(profile.provider);
    const where = `harnesses.${name}`;
    if (harness === undefined) return [unknown(where, 'provider', profile.provider, [...harnesses.keys()])];
    const { capabilities: c } = harness;
    return [
      ...checkValue({ where: `${where}.defaults`, harness, option: 'model' }, c.model, profile.model),
      ...checkValue({ where: `${where}.defaults`, harness, option: 'effort' }, c.effort, profile.effort),
      ...checkValue(
        { where: `${where}.defaults`, harness, option: 'permission_mode' },
        c.permissionMode,
        profile.permissionMode,
      ),
    ];
  });
}

function checkAgentProfiles(profiles: HarnessProfiles, harnesses: HarnessSet): KraftError[] {
  const names = [...new Set([...Object.keys(profiles.harnesses), ...harnesses.keys()])];
  const tiers = Object.keys(profiles.profiles);
  return Object.entries(profiles.profiles).flatMap(([name, tier]) => {
    const where = `profiles.${name}`;
    const models = Object.entries(tier.models).flatMap(([id, model]) => {
      const harness = harnesses.get(id);
      if (harness === undefined) return [unknown(`${where}.model`, 'harness', id, [...harnesses.keys()])];
      return checkValue({ where: `${where}.model`, harness, option: 'model' }, harness.capabilities.model, model);
    });
    const fallback = tier.fallback.flatMap((entry, index) => {
      const at = `${where}.fallback[${index}]`;
      return [
        ...(entry.harness === null || names.includes(entry.harness)
          ? []
          : [unknown(at, 'harness', entry.harness, names)]),
        ...(entry.profile === null || tiers.includes(entry.profile)
          ? []
          : [unknown(at, 'profile', entry.profile, tiers)]),
      ];
    });
    return [...models, ...fallback];
  });
}

function unknown(where: string, what: string, name: string, known: readonly string[]): KraftError {
  return harnessErrors.create('PROFILE_NAMES_UNKNOWN', { where, what, name, known: [...known].sort() });
}

function checkValue(
  { where, harness, option }: { readonly where: string; readonly harness: Harness; readonly option: string },
  capability: Capability | null,
  value: string | null,
): KraftError[] {
  if (value === null) return [];
  const allowed = capability?.values ?? [];
  if (capability !== null && capability.cli.length > 0 && matchesValues(allowed, value)) return [];
  return [harnessErrors.create('PROFILE_VALUE_REFUSED', { where, harness: harness.id, option, value, allowed })];
}
