import type { ContainerSpec } from './container.ts';

/** Reads one variable of the process that runs Kraft. */
export type EnvReader = (name: string) => string | undefined;

/** The variables of `names` that are set and not empty. */
export function pickEnv(env: EnvReader, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env(name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What every client needs to find its own files, whatever the engine. */
export const clientNames = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DBUS_SESSION_BUS_ADDRESS',
];

/** Where a pull or a build goes out through; never in the environment of a client that runs a container. */
export const outboundNames = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

// What steers the client itself. None of these is a secret, so a repository's value for one goes in as a literal and
// the client keeps its own: a bare `-e DOCKER_HOST` would send the client to the repository's engine.
const steering =
  /^(?:PATH|HOME|TMPDIR|GODEBUG|LD_.*|XDG_.*|DBUS_SESSION_BUS_ADDRESS|DOCKER_(?:HOST|CONTEXT|CONFIG|TLS|TLS_VERIFY|CERT_PATH|API_VERSION|DEFAULT_PLATFORM|CONTENT_TRUST|CONTENT_TRUST_SERVER)|CONTAINER_(?:HOST|CONNECTION|SSHKEY)|CONTAINERS_.*|STORAGE_(?:DRIVER|OPTS)|REGISTRY_AUTH_FILE|NOTIFY_SOCKET|LISTEN_.*)$/u;

/** A spec and the values of its bare names, made ready for a client: see `prepareClient`. */
export interface PreparedClient {
  readonly spec: ContainerSpec;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Brings the client's own environment and the values of a spec's bare names together. Only names that the spec passes
 * get in; a bare name without a value is taken out of the client too, so that it is absent inside.
 */
export function prepareClient(
  spec: ContainerSpec,
  clientEnv: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): PreparedClient {
  const env: Record<string, string> = { ...clientEnv };
  const literals: Record<string, string> = { ...spec.envLiterals };
  const envNames: string[] = [];
  for (const name of spec.envNames) {
    if (Object.hasOwn(spec.envLiterals, name)) continue;
    const value = values[name];
    if (steering.test(name)) {
      if (value !== undefined) literals[name] = value;
      continue;
    }
    envNames.push(name);
    if (value === undefined) Reflect.deleteProperty(env, name);
    else env[name] = value;
  }
  return { spec: { ...spec, envNames, envLiterals: literals }, env };
}
