import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';

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

interface SettledEngine {
  readonly engine: 'docker' | 'podman';
  readonly env: Readonly<Record<string, string>>;
}

export type HostName = EngineHost['name'];

export const allHosts: readonly HostName[] = ['docker', 'podman', 'podman-rootless', 'docker-rootless'];

const toolsDir = resolve(import.meta.dirname, '..', '..', '.tools', 'engine');
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const me = { as: [], uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

function readTool(name: string): unknown {
  const file = join(toolsDir, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : null;
}

function pick(env: Readonly<Record<string, string | undefined>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function ownEnv(): Record<string, string> {
  return {
    ...pick(process.env, [
      'HOME',
      'LANG',
      'SSL_CERT_FILE',
      'NODE_EXTRA_CA_CERTS',
      'XDG_RUNTIME_DIR',
      'CONTAINERS_CONF',
    ]),
    PATH: systemPath,
  };
}

/** As root the set-up made an account with all four; else the tests run as the person, with the engine that they have. */
function findHosts(): readonly EngineHost[] {
  const user = readTool('test-user.json') as TestUser | null;
  if (user === null) return personsOwnHosts((readTool('engines.json') ?? []) as readonly SettledEngine[]);
  const engine = (readTool('env.json') ?? {}) as Record<string, string>;
  const ordinary = { as: user.command, uid: user.uid, gid: user.gid };
  const userEnv = { ...user.env, PATH: systemPath };
  const dockerHost = user.rootfulDockerHost === null ? {} : { DOCKER_HOST: user.rootfulDockerHost };
  return [
    { name: 'docker', cli: 'docker', ...ordinary, env: { ...userEnv, ...dockerHost } },
    { name: 'podman', cli: 'podman', ...me, env: { ...ownEnv(), ...pick(engine, ['CONTAINERS_CONF']) } },
    { name: 'podman-rootless', cli: 'podman', ...ordinary, env: userEnv },
    { name: 'docker-rootless', cli: 'docker', ...ordinary, env: { ...userEnv, DOCKER_HOST: user.rootlessDockerHost } },
  ];
}

function personsOwnHosts(engines: readonly SettledEngine[]): readonly EngineHost[] {
  return engines.map(({ engine, env }) => ({
    name: engine === 'docker' ? 'docker' : me.uid === 0 ? 'podman' : 'podman-rootless',
    cli: engine,
    ...me,
    env: { ...ownEnv(), ...env },
  }));
}

function missing(name: HostName): string {
  return `the set-up brought no ${name}; as root on Debian or Ubuntu \`npm test\` brings all four`;
}

/**
 * Registers the same story once per engine host. One that this machine does not have is a skip with its reason, and an
 * error where engines are required (`KRAFT_E2E=required`).
 */
export function onHosts(names: readonly HostName[], title: string, story: (host: EngineHost) => void): void {
  const found = findHosts();
  for (const name of names) {
    const host = found.find((candidate) => candidate.name === name);
    if (host !== undefined) {
      describe(`${title} on ${name}`, () => story(host));
      continue;
    }
    if (process.env['KRAFT_E2E'] === 'required') throw new Error(missing(name));
    const placeholder: EngineHost = { name, cli: 'docker', ...me, env: {} };
    describe.skip(`${title} on ${name} (${missing(name)})`, () => story(placeholder));
  }
}
