import type { Candidate, Directory } from './directory.ts';
import { packageScripts } from './tasks.ts';

/** A toolchain that is there but proposes nothing, since a proposal would leave files behind or fail. */
export interface Stop {
  readonly marker: string;
  readonly reason: string;
}

export interface Toolchains {
  readonly setup: readonly Candidate[];
  readonly test: readonly Candidate[];
  readonly stops: readonly Stop[];
  readonly families: readonly string[];
  readonly workspaceFamilies: readonly string[];
}

/** What one family proposes for a directory; a null command proposes nothing. */
interface Finding {
  readonly marker: string;
  readonly setup: string | null;
  readonly test: string | null;
  /** Marker of the test command, where it is another file. */
  readonly testMarker: string | null;
  readonly stop: string | null;
  readonly isWorkspaceRoot: boolean;
}

type Family = (directory: Directory) => Promise<Finding | null>;

/** Commands that the toolchains of a directory imply, by lockfile before manifest; nothing is evaluated. */
export async function detectToolchains(directory: Directory): Promise<Toolchains> {
  const found: [string, Finding][] = [];
  for (const [name, family] of Object.entries(families)) {
    const finding = await family(directory);
    if (finding !== null) found.push([name, finding]);
  }
  const at = (name: string): string => (directory.path === '' ? name : `${directory.path}/${name}`);
  const candidates = (of: 'setup' | 'test'): Candidate[] =>
    found.flatMap(([name, f]) => {
      const command = f[of];
      const marker = at(of === 'test' ? (f.testMarker ?? f.marker) : f.marker);
      return command === null ? [] : [{ command, marker, reason: `the ${name} toolchain` }];
    });
  return {
    setup: candidates('setup'),
    test: candidates('test'),
    stops: found.flatMap(([, f]) => (f.stop === null ? [] : [{ marker: at(f.marker), reason: f.stop }])),
    families: found.map(([name]) => name),
    workspaceFamilies: found.filter(([, f]) => f.isWorkspaceRoot).map(([name]) => name),
  };
}

function finding(marker: string, commands: Partial<Finding>): Finding {
  return { marker, setup: null, test: null, testMarker: null, stop: null, isWorkspaceRoot: false, ...commands };
}

/** The first of `names` that the directory has. */
function first<K extends string>(directory: Directory, names: readonly K[]): K | null {
  return names.find((name) => directory.names.has(name)) ?? null;
}

const nodeLocks = {
  'package-lock.json': { setup: 'npm ci', test: 'npm test' },
  'npm-shrinkwrap.json': { setup: 'npm ci', test: 'npm test' },
  'yarn.lock': { setup: 'yarn install --frozen-lockfile', test: 'yarn test' },
  'pnpm-lock.yaml': { setup: 'pnpm install --frozen-lockfile', test: 'pnpm test' },
  'bun.lock': { setup: 'bun install --frozen-lockfile', test: 'bun run test' },
  'bun.lockb': { setup: 'bun install --frozen-lockfile', test: 'bun run test' },
} as const;

const node: Family = async (directory) => {
  if (!directory.names.has('package.json')) return null;
  const facts = packageScripts((await directory.read('package.json')) ?? '');
  const lock = first(directory, Object.keys(nodeLocks) as (keyof typeof nodeLocks)[]);
  const commands = lock === null ? { setup: 'npm install --no-package-lock', test: 'npm test' } : nodeLocks[lock];
  // Yarn 2 and later take the other word, and mark their lockfile.
  const berry = lock === 'yarn.lock' && ((await directory.read('yarn.lock')) ?? '').includes('\n__metadata:');
  const setup = berry ? 'yarn install --immutable' : commands.setup;
  return finding(lock ?? 'package.json', {
    setup: lock !== null || facts.hasDependencies ? setup : null,
    test: facts.scripts.includes('test') ? commands.test : null,
    testMarker: 'package.json',
    isWorkspaceRoot: facts.isWorkspaceRoot || directory.names.has('pnpm-workspace.yaml'),
  });
};

const pythonLocks = {
  'uv.lock': { setup: 'uv sync', run: 'uv run' },
  'poetry.lock': { setup: 'poetry install', run: 'poetry run' },
  'pdm.lock': { setup: 'pdm sync', run: 'pdm run' },
  'Pipfile.lock': { setup: 'pipenv sync --dev', run: 'pipenv run' },
} as const;

const python: Family = async (directory) => {
  const manifest = first(directory, ['pyproject.toml', 'Pipfile']);
  if (manifest === null) return null;
  const lock = first(directory, Object.keys(pythonLocks) as (keyof typeof pythonLocks)[]);
  if (lock === null) {
    return finding(manifest, { stop: 'it has no lockfile, and installing would write one into each worktree' });
  }
  const usesPytest =
    ['pytest.ini', 'conftest.py', 'tests', 'test'].some((name) => directory.names.has(name)) ||
    ((await directory.read(manifest)) ?? '').includes('pytest');
  const { setup, run } = pythonLocks[lock];
  return finding(lock, { setup, test: usesPytest ? `${run} pytest -q` : null, testMarker: manifest });
};

const rust: Family = async (directory) => {
  if (!directory.names.has('Cargo.toml')) return null;
  const locked = directory.names.has('Cargo.lock');
  return finding(locked ? 'Cargo.lock' : 'Cargo.toml', {
    setup: locked ? 'cargo fetch --locked' : 'cargo fetch',
    test: 'cargo test',
    testMarker: 'Cargo.toml',
    isWorkspaceRoot: /^\s*\[workspace[\].]/m.test((await directory.read('Cargo.toml')) ?? ''),
  });
};

const go: Family = (directory) =>
  Promise.resolve(
    directory.names.has('go.mod') ? finding('go.mod', { setup: 'go mod download', test: 'go test ./...' }) : null,
  );

const ruby: Family = (directory) => {
  if (!directory.names.has('Gemfile.lock')) return Promise.resolve(null);
  const test = first(directory, ['.rspec', 'spec']) === null ? null : 'bundle exec rspec';
  return Promise.resolve(finding('Gemfile.lock', { setup: 'bundle install', test }));
};

const php: Family = (directory) => {
  if (!directory.names.has('composer.lock')) return Promise.resolve(null);
  const testMarker = first(directory, ['phpunit.xml', 'phpunit.xml.dist']);
  const test = testMarker === null ? null : 'vendor/bin/phpunit';
  return Promise.resolve(finding('composer.lock', { setup: 'composer install', test, testMarker }));
};

const java: Family = (directory) => {
  const marker = first(directory, ['gradlew', 'mvnw', 'pom.xml']);
  if (marker === null) return Promise.resolve(null);
  const test = { gradlew: './gradlew test', mvnw: './mvnw -q test', 'pom.xml': 'mvn -q test' }[marker];
  return Promise.resolve(finding(marker, { test, isWorkspaceRoot: true }));
};

const families: Readonly<Record<string, Family>> = {
  Python: python,
  Node: node,
  Rust: rust,
  Go: go,
  Ruby: ruby,
  PHP: php,
  Java: java,
};
