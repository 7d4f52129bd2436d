import { kraftPins, renderPins, type Pin } from '../refs/index.ts';

/**
 * Whose configuration a call reads. `repository`: the repository's own files alone. `person`: the person's and the
 * system's too, where a call needs credentials, identity or checkout settings.
 */
export type ConfigScope = 'repository' | 'person';

// What of the daemon's GIT_* variables goes on: ways to reach a remote and where the person's configuration lies. All
// others (GIT_DIR, GIT_INDEX_FILE, GIT_EXTERNAL_DIFF, …) would redirect a call.
const keptAlways = new Set(['GIT_EXEC_PATH']);
const keptForPerson = new Set([
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_ASKPASS',
  'GIT_PROXY_COMMAND',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_SSL_CERT',
  'GIT_SSL_KEY',
  'GIT_SSL_NO_VERIFY',
  'GIT_HTTP_USER_AGENT',
]);

/** The whole environment of one git call on the host. `extra` wins over everything but the pins. */
export function gitEnvironment(
  daemonEnv: Readonly<Record<string, string>>,
  call: {
    readonly scope: ConfigScope;
    readonly pins: readonly Pin[];
    readonly extra: Readonly<Record<string, string>>;
  },
): Readonly<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(daemonEnv)) {
    const kept =
      !name.startsWith('GIT_') || keptAlways.has(name) || (call.scope === 'person' && keptForPerson.has(name));
    if (kept) env[name] = value;
  }
  return {
    ...env,
    ...(call.scope === 'person' ? {} : { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }),
    LC_ALL: 'C',
    LANGUAGE: '',
    GIT_TERMINAL_PROMPT: '0',
    // An empty value ends git's search for a program that asks; a person's own non-interactive one is kept.
    GIT_ASKPASS: (call.scope === 'person' ? daemonEnv['GIT_ASKPASS'] : undefined) ?? '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_OPTIONAL_LOCKS: '0',
    ...call.extra,
    ...renderPins([...kraftPins, ...call.pins]),
  };
}
