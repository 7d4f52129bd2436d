import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** One way in which a person has an engine: who they are and how their commands reach it. */
export interface EngineHost {
  readonly name: 'docker' | 'podman' | 'podman-rootless' | 'docker-rootless';
  /** `sandbox.yaml`'s `cli`. */
  readonly cli: 'docker' | 'podman';
  /** argv prefix that turns a command into that person's; empty when the tests run as that person. */
  readonly as: readonly string[];
  readonly uid: number;
  readonly gid: number;
  /** The person's environment, engine variables included. */
  readonly env: Readonly<Record<string, string>>;
}

interface TestUser {
  readonly uid: number;
  readonly gid: number;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rootfulDockerHost: string | null;
  readonly rootlessDockerHost: string;
}

const toolsDir = resolve(import.meta.dirname, '..', '..', '.tools', 'engine');
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Without the set-up there is no engine: an error, never a quiet skip. `npm test` does the set-up. */
function readTool(name: string): unknown {
  const file = join(toolsDir, name);
  if (!existsSync(file))
    throw new Error(`no engines are set up for the tests: run \`npm test\`, or \`npm run setup -- --for-tests\``);
  return JSON.parse(readFileSync(file, 'utf8')) as unknown;
}

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Every way in which the tests have an engine. */
export function engineHosts(): readonly EngineHost[] {
  const engine = readTool('env.json') as Record<string, string>;
  const user = readTool('test-user.json') as TestUser;
  const ordinary = { as: user.command, uid: user.uid, gid: user.gid };
  const userEnv = { ...user.env, PATH: systemPath };
  const dockerHost = user.rootfulDockerHost === null ? {} : { DOCKER_HOST: user.rootfulDockerHost };
  return [
    { name: 'docker', cli: 'docker', ...ordinary, env: { ...userEnv, ...dockerHost } },
    {
      name: 'podman',
      cli: 'podman',
      as: [],
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      env: {
        ...pick(process.env, ['HOME', 'LANG', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']),
        ...pick(engine, ['CONTAINERS_CONF']),
        PATH: systemPath,
      },
    },
    { name: 'podman-rootless', cli: 'podman', ...ordinary, env: userEnv },
    { name: 'docker-rootless', cli: 'docker', ...ordinary, env: { ...userEnv, DOCKER_HOST: user.rootlessDockerHost } },
  ];
}

/** The host of that name. */
export function engineHost(name: EngineHost['name']): EngineHost {
  const host = engineHosts().find((candidate) => candidate.name === name);
  if (host === undefined) throw new Error(`no host ${name}`);
  return host;
}
