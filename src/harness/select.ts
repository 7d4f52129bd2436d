import type { HarnessProfile } from '../config/index.ts';
import { harnessErrors } from './errors.ts';
import type { HarnessSet } from './load.ts';
import type { Harness, SelectedHarness } from './harness.ts';

/**
 * The harness that a name means: a profile first, then a harness id. Pure.
 * Errors: HARNESS_UNKNOWN, HARNESS_PROFILE_DISABLED.
 */
export function selectHarness(
  name: string,
  harnesses: HarnessSet,
  profiles: Readonly<Record<string, HarnessProfile>>,
): SelectedHarness {
  const known = [...new Set([...Object.keys(profiles), ...harnesses.keys()])].sort();
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile?.enabled === false) throw harnessErrors.create('HARNESS_PROFILE_DISABLED', { name });
  const harness = harnesses.get(profile?.provider ?? name);
  if (harness === undefined) throw harnessErrors.create('HARNESS_UNKNOWN', { name: profile?.provider ?? name, known });
  if (profile === undefined) return { name, harness, defaults: { model: null, effort: null, permissionMode: null } };
  return {
    name,
    harness: profile.executable === null ? harness : withExecutable(harness, profile.executable),
    defaults: { model: profile.model, effort: profile.effort, permissionMode: profile.permissionMode },
  };
}

/** The harness with another program as the first word of what starts it, and of what goes on with a session. */
function withExecutable(harness: Harness, executable: string): Harness {
  const { resume } = harness.capabilities;
  return {
    ...harness,
    command: [executable, ...harness.command.slice(1)],
    capabilities: {
      ...harness.capabilities,
      resume: resume?.kind === 'command' ? { ...resume, command: [executable, ...resume.command.slice(1)] } : resume,
    },
  };
}
