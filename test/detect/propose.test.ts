import { describe, expect, it } from 'vitest';
import { proposeCommands, type Proposal } from '../../src/detect/index.ts';

/** Proposes for a repository of these files; `''` is a file whose text does not matter. */
function propose(files: Readonly<Record<string, string>>): Promise<Proposal> {
  return proposeCommands({ files: Object.keys(files), read: (path) => Promise.resolve(files[path] ?? null) });
}

const packageJson = (scripts: Record<string, string>, more: object = {}): string =>
  JSON.stringify({ scripts, ...more });
const npmTest = packageJson({ test: 'vitest run' });

describe('the proposal for the root (CC 5.3, 5.4)', () => {
  it.each<[string, Record<string, string>, string | null, string | null]>([
    ['Justfile', { Justfile: 'test:\n  cargo test\n', 'Cargo.toml': '' }, 'cargo fetch', 'just test'],
    ['justfile', { justfile: '@test *args:\n  x\nbootstrap:\n  y\n' }, 'just bootstrap', 'just test'],
    [
      'justfile whose recipe needs an argument',
      { justfile: 'test target:\n  x\n', 'go.mod': '' },
      'go mod download',
      'go test ./...',
    ],
    ['justfile with a variable only', { justfile: 'test := "x"\n', 'go.mod': '' }, 'go mod download', 'go test ./...'],
    ['justfile without the recipe', { justfile: 'build:\n  x\n', 'go.mod': '' }, 'go mod download', 'go test ./...'],
    ['Makefile', { Makefile: 'deps: a\nbuild check: deps\n\techo\n' }, 'make deps', 'make check'],
    ['Makefile with a variable only', { Makefile: 'test := x\ntest ::= y\n' }, null, null],
    ['Taskfile', { 'Taskfile.yml': 'version: 3\ntasks:\n  tests:\n    cmds:\n      - test: x\n' }, null, 'task tests'],
    [
      'mise',
      { 'mise.toml': '[tools]\ntest = "1"\n[tasks.test]\nrun = "x"\n[tasks]\nsetup = "y"\n' },
      'mise run setup',
      'mise run test',
    ],
    ['scripts', { 'script/test': '', 'bin/setup': '' }, 'bin/setup', 'script/test'],
    ['package-lock.json', { 'package-lock.json': '', 'package.json': npmTest }, 'npm ci', 'npm test'],
    [
      'yarn.lock',
      { 'yarn.lock': '# yarn lockfile v1\n', 'package.json': npmTest },
      'yarn install --frozen-lockfile',
      'yarn test',
    ],
    [
      'yarn.lock of Yarn 2',
      { 'yarn.lock': '#\n\n__metadata:\n  version: 8\n', 'package.json': npmTest },
      'yarn install --immutable',
      'yarn test',
    ],
    [
      'pnpm-lock.yaml',
      { 'pnpm-lock.yaml': '', 'package.json': npmTest },
      'pnpm install --frozen-lockfile',
      'pnpm test',
    ],
    [
      'package.json alone',
      { 'package.json': packageJson({ test: 'x' }, { dependencies: { a: '1' } }) },
      'npm install --no-package-lock',
      'npm test',
    ],
    ['package.json without dependencies', { 'package.json': npmTest }, null, 'npm test'],
    [
      "package.json with npm's placeholder",
      { 'package-lock.json': '', 'package.json': packageJson({ test: 'echo "Error: no test specified" && exit 1' }) },
      'npm ci',
      null,
    ],
    [
      'package.json without a test script',
      { 'package-lock.json': '', 'package.json': packageJson({ build: 'x' }) },
      'npm ci',
      null,
    ],
    ['package.json that is no JSON', { 'package-lock.json': '', 'package.json': '{' }, 'npm ci', null],
    ['uv.lock', { 'uv.lock': '', 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'uv sync', 'uv run pytest -q'],
    [
      'uv.lock and a tests directory',
      { 'uv.lock': '', 'pyproject.toml': '', 'tests/test_a.py': '' },
      'uv sync',
      'uv run pytest -q',
    ],
    ['uv.lock without tests', { 'uv.lock': '', 'pyproject.toml': '' }, 'uv sync', null],
    ['poetry.lock', { 'poetry.lock': '', 'pyproject.toml': 'pytest' }, 'poetry install', 'poetry run pytest -q'],
    ['Cargo.toml', { 'Cargo.toml': '' }, 'cargo fetch', 'cargo test'],
    ['Cargo.lock', { 'Cargo.toml': '', 'Cargo.lock': '' }, 'cargo fetch --locked', 'cargo test'],
    ['go.mod', { 'go.mod': '' }, 'go mod download', 'go test ./...'],
    ['nothing known', { 'README.md': '' }, null, null],
    ['an empty repository', {}, null, null],
  ])('of %s is its setup and test command', async (_name, files, setup, test) => {
    const proposal = await propose(files);
    expect([proposal.setup[0]?.command ?? null, proposal.test[0]?.command ?? null]).toEqual([setup, test]);
    expect(proposal.scopes).toEqual([]);
  });

  it('lists every candidate with the file it came from, a task before a toolchain', async () => {
    const proposal = await propose({ justfile: 'test:\n  x\n', Makefile: 'test:\n\tx\n', 'package.json': npmTest });
    expect(proposal.test.map((c) => [c.command, c.marker])).toEqual([
      ['just test', 'justfile'],
      ['make test', 'Makefile'],
      ['npm test', 'package.json'],
    ]);
  });

  it('joins several toolchains, and lists each alone', async () => {
    const proposal = await propose({ 'go.mod': '', 'package.json': npmTest, 'package-lock.json': '' });
    expect(proposal.setup.map((c) => c.command)).toEqual(['npm ci && go mod download', 'npm ci', 'go mod download']);
    expect(proposal.test[0]).toMatchObject({
      command: "sh -c 'npm test && go test ./...'",
      marker: 'package.json, go.mod',
    });
  });

  it('stops at a Python project without a lockfile, saying why', async () => {
    const proposal = await propose({ 'pyproject.toml': '[tool.pytest]' });
    expect(proposal).toMatchObject({ setup: [], test: [] });
    expect(proposal.stops).toEqual([
      { marker: 'pyproject.toml', reason: expect.stringContaining('no lockfile') as string },
    ]);
  });
});

describe('directories with tests of their own', () => {
  it('become scopes, and the root takes what is left', async () => {
    const proposal = await propose({
      'go.mod': '',
      'main.go': '',
      'internal/a.go': '',
      'web/package.json': npmTest,
      'web/package-lock.json': '',
      'web/src/index.ts': '',
    });
    expect(proposal.scopes).toEqual([
      { paths: ['go.mod', 'internal/**', 'main.go'], command: 'go test ./...' },
      { paths: ['web/**'], command: "sh -c 'cd web && npm test'" },
    ]);
    expect(proposal.setup[0]).toMatchObject({
      command: 'go mod download && (cd web && npm ci)',
      marker: 'go.mod, web/package-lock.json',
    });
    expect(proposal.test.map((c) => c.command)).toEqual(['go test ./...', "sh -c 'cd web && npm test'"]);
  });

  it('are found two levels down, and stand alone when the root has none', async () => {
    const proposal = await propose({ 'README.md': '', 'apps/api/go.mod': '', 'a/b/c/go.mod': '' });
    expect(proposal.scopes).toEqual([{ paths: ['apps/api/**'], command: "sh -c 'cd apps/api && go test ./...'" }]);
    expect(proposal.setup[0]?.command).toBe('(cd apps/api && go mod download)');
  });

  it('add no scope beside a task that the root names for all of it', async () => {
    const proposal = await propose({ justfile: 'test:\n  x\n', 'web/package.json': npmTest });
    expect(proposal.scopes).toEqual([]);
    expect(proposal.test.map((c) => c.command)).toEqual(['just test', "sh -c 'cd web && npm test'"]);
  });

  it('are left to the root when they are members of its workspace', async () => {
    const root = packageJson({ test: 'npm test -ws' }, { workspaces: ['packages/*'] });
    const proposal = await propose({
      'package.json': root,
      'package-lock.json': '',
      'packages/a/package.json': npmTest,
    });
    expect(proposal.scopes).toEqual([]);
    expect(proposal.test.map((c) => c.command)).toEqual(['npm test']);
  });

  it.each(['node_modules/a', '.hidden', 'vendor', 'examples', "we'b", 'a b', '-x', 'x;rm'])(
    'are not looked for in %s',
    async (directory) => {
      const proposal = await propose({ [`${directory}/package.json`]: npmTest });
      expect(proposal).toEqual({ setup: [], test: [], scopes: [], stops: [] });
    },
  );

  it('are looked at within a bound', async () => {
    const files = Array.from({ length: 500 }, (_, i) => `d${i}/package.json`);
    let reads = 0;
    const read = (): Promise<string> => {
      reads += 1;
      return Promise.resolve(npmTest);
    };
    const proposal = await proposeCommands({ files, read });
    expect(proposal.scopes).toHaveLength(40);
    expect(reads).toBeLessThanOrEqual(200);
  });
});
