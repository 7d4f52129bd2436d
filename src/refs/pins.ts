/** One configuration value that beats every configuration file: `key`, `value`. */
export type Pin = readonly [key: string, value: string];

/**
 * The pins of SI 2.8, for git on the host and inside worker containers: no hook, no fsmonitor, nothing entered that is
 * reached through a gitlink. `diff.external` is not among them: an empty value breaks every `git diff`.
 */
export const hostPins: readonly Pin[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['push.recurseSubmodules', 'no'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
];

/**
 * What a worker's git needs besides: its commits cannot be signed (the keys are not there), and `git gc` must not try to
 * write into `objects/info`, which is read-only.
 */
export const workerPins: readonly Pin[] = [
  ...hostPins,
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.writeCommitGraph', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['repack.updateServerInfo', 'false'],
];

/** What Kraft's own calls on the host pin besides: no signing, no maintenance, no ref or file that was not asked for. */
export const kraftPins: readonly Pin[] = [
  ...hostPins,
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['gc.writeCommitGraph', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['fetch.prune', 'false'],
  ['fetch.pruneTags', 'false'],
  ['fetch.showForcedUpdates', 'false'],
  ['remote.origin.followRemoteHEAD', 'never'],
  ['core.untrackedCache', 'false'],
  // The person's git and calls for other items may hold a lock for a moment.
  ['core.filesRefLockTimeout', '10000'],
  ['core.packedRefsTimeout', '10000'],
  ['core.attributesFile', '/dev/null'],
  ['core.alternateRefsCommand', 'true'],
  ['worktree.useRelativePaths', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.ext.allow', 'never'],
  ['advice.detachedHead', 'false'],
];

/** Pins that make every filter driver in `names` a pass-through, so that no clean, smudge or process command runs. */
export function filterPins(names: readonly string[]): readonly Pin[] {
  return names.flatMap((name): Pin[] => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ]);
}

/** Driver names in the output of `git config -z --name-only --get-regexp '^filter\.'`. */
export function parseFilterNames(output: string): readonly string[] {
  const names = new Set<string>();
  for (const key of output.split('\0')) {
    const end = key.lastIndexOf('.');
    if (key.startsWith('filter.') && end > 'filter.'.length - 1) names.add(key.slice('filter.'.length, end));
  }
  return [...names];
}

/** `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_n` and `GIT_CONFIG_VALUE_n`, which git reads since 2.31. */
export function renderPins(pins: readonly Pin[]): Readonly<Record<string, string>> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(pins.length) };
  for (const [index, [key, value]] of pins.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
