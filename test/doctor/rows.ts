import { configErrors, type LoadedRepos, type NetworkPhase, type ResolvedRepo } from '../../src/config/index.ts';
import { gitErrors } from '../../src/git/index.ts';
import { launchErrors } from '../../src/launch/index.ts';
import { relayErrors } from '../../src/relay/index.ts';
import { runtimeErrors } from '../../src/runtime/index.ts';
import { facts, gib, probed, repo, sandbox, type Ground } from './ground.ts';

/** A condition of one row: what the host is like, and what doctor has to say of it. */
export interface RowCase {
  readonly row: string;
  readonly sentence: string;
  readonly ground: Ground;
  readonly outcome: 'ok' | 'warn' | 'fail' | 'unknown' | 'skipped';
  /** Without the prefix; null where no error stands behind the row. */
  readonly code: string | null;
  readonly says: string;
  readonly remedy: string | null;
}

export const rejects = (error: Error) => (): Promise<never> => Promise.reject(error);

export const unreachable = runtimeErrors.create('ENGINE_UNREACHABLE', {
  attempts: [{ cli: 'docker', endpoint: 'unix:///x', why: 'no such file' }],
});

const badFile = configErrors.create('CONFIG_WRONG_TYPE', {
  file: 'sandbox.yaml',
  line: 3,
  path: 'selinux',
  problem: 'must be text',
});

function loaded(overrides: Partial<LoadedRepos>): Ground {
  return { config: { repos: () => Promise.resolve({ repos: [repo()], workspaces: [], warnings: [], ...overrides }) } };
}

type Told = Pick<RowCase, 'code' | 'says' | 'remedy'>;

/** `what` is the row and its outcome: `disk: fail`. */
function rowCase(what: `${string}: ${RowCase['outcome']}`, sentence: string, ground: Ground, told: Told): RowCase {
  const at = what.lastIndexOf(': ');
  return { row: what.slice(0, at), outcome: what.slice(at + 2) as RowCase['outcome'], sentence, ground, ...told };
}

const home = { mode: 0o700, uid: 1000 };
const owned = (found: typeof home | null): Ground => ({ host: { ownership: () => Promise.resolve(found) } });

export const hostCases: readonly RowCase[] = [
  rowCase('home: warn', 'warns before the first use', owned(null), {
    code: 'HOME_NOT_MADE',
    says: '/home/you/.kraft',
    remedy: 'kraft repo connect',
  }),
  rowCase('home: warn', 'warns of a home that others can read', owned({ ...home, mode: 0o755 }), {
    code: 'HOME_OPEN_TO_OTHERS',
    says: '0755',
    remedy: "chmod 700 '/home/you/.kraft'",
  }),
  rowCase('home: fail', 'fails on a home of another user', owned({ ...home, uid: 0 }), {
    code: 'HOME_FOREIGN',
    says: 'uid 0',
    remedy: 'chown',
  }),
  rowCase(
    'home: warn',
    'warns of running as root',
    { host: { ...owned({ ...home, uid: 0 }).host, uid: 0 } },
    {
      code: 'RUNS_AS_ROOT',
      says: 'root',
      remedy: 'ordinary user',
    },
  ),
  rowCase(
    'daemon: warn',
    'warns when no daemon answers',
    { options: { daemon: null } },
    {
      code: 'DAEMON_ABSENT',
      says: 'No daemon',
      remedy: 'kraft admin start',
    },
  ),
  rowCase(
    'daemon: warn',
    'warns of another version',
    { options: { daemon: { pid: 1, version: '0.0.9' } } },
    {
      code: 'DAEMON_OTHER_VERSION',
      says: '0.0.9',
      remedy: 'kraft admin stop',
    },
  ),
  rowCase(
    'config: ok',
    'tells the files that speak from those that are not there (PF-F04)',
    {
      host: {
        ownership: (path) => Promise.resolve(path.endsWith('/policy.yaml') ? null : { mode: 0o600, uid: 1000 }),
      },
    },
    {
      code: null,
      says: 'read: repos.yaml, sandbox.yaml, harnesses.yaml; not in /home/you/.kraft/config, so defaults hold: policy.yaml.',
      remedy: null,
    },
  ),
  rowCase(
    'config: fail',
    'fails on a file that does not load',
    { config: { sandbox: rejects(badFile) } },
    {
      code: 'CONFIG_WRONG_TYPE',
      says: 'sandbox.yaml:3',
      remedy: 'line 3',
    },
  ),
  rowCase(
    'config: warn',
    'warns of an `env` that others can read',
    { config: { readableEnv: () => Promise.resolve({ path: '/c/repos.yaml', mode: 0o644, repos: ['shop'] }) } },
    { code: 'REPOS_FILE_READABLE', says: '0644', remedy: "chmod 600 '/c/repos.yaml'" },
  ),
  rowCase(
    'config: warn',
    'warns when all sessions at once may want more memory than there is',
    { host: { totalMemoryBytes: () => 2 * gib } },
    { code: 'MEMORY_OVERCOMMITTED', says: '3 sessions of shop at 1g', remedy: 'max_concurrent' },
  ),
  rowCase(
    'config: warn',
    'calls out `network: {}`, which reads like the opposite of what it is (PF-F06)',
    loaded({
      warnings: [
        configErrors.create('CONFIG_OPEN_NETWORK', {
          file: 'repos.yaml',
          line: 9,
          path: 'repos[0].sandbox.network',
          problem: 'is `{}`, which leaves egress open',
        }),
      ],
    }),
    { code: 'CONFIG_OPEN_NETWORK', says: 'repos.yaml:9', remedy: 'runtime' },
  ),
  rowCase(
    'engine: fail',
    'fails when none answers, with each attempt',
    { options: { openEngine: rejects(unreachable) } },
    {
      code: 'ENGINE_UNREACHABLE',
      says: 'unix:///x (no such file)',
      remedy: 'Start Docker or Podman',
    },
  ),
  rowCase(
    'engine: fail',
    'fails on an engine of another machine',
    { facts: { remote: { endpoint: 'tcp://far:2375', why: 'it is reached over tcp' } } },
    { code: 'ENGINE_REMOTE', says: 'tcp://far:2375', remedy: 'DOCKER_HOST' },
  ),
  rowCase(
    'engine: fail',
    'fails while the engine does not say whether it is rootless',
    { facts: { rootless: 'unknown' } },
    {
      code: 'ENGINE_IDENTITY_UNKNOWN',
      says: 'rootless',
      remedy: 'info',
    },
  ),
  rowCase(
    'engine: fail',
    'fails while nothing is said about SELinux on a host that enforces it',
    { host: { selinuxEnforcing: () => true }, facts: { appliesSelinuxLabels: true } },
    { code: 'SELINUX_CHOICE_NEEDED', says: 'SELinux', remedy: 'selinux: relabel' },
  ),
  rowCase(
    'engine: warn',
    'warns of a store that copies the image for every container (PF-U01)',
    { facts: { storageDriver: 'vfs' } },
    { code: 'STORAGE_COPIES', says: 'minutes', remedy: 'overlay' },
  ),
  rowCase(
    'engine: skipped',
    'is skipped while sandbox.yaml does not load',
    { config: { sandbox: rejects(badFile) } },
    {
      code: null,
      says: 'Not asked',
      remedy: 'sandbox.yaml',
    },
  ),
  rowCase(
    'disk: fail',
    'fails under the floor of policy.yaml',
    { host: { freeBytes: () => Promise.resolve(gib) } },
    {
      code: 'DISK_FLOOR',
      says: '1024 MiB',
      remedy: 'Free some space',
    },
  ),
  rowCase(
    'disk: ok',
    'goes by the floor that is set',
    { host: { freeBytes: () => Promise.resolve(gib) }, policy: { diskFloorBytes: gib / 2 } },
    { code: null, says: '1.0 GiB', remedy: null },
  ),
  rowCase(
    'disk: skipped',
    'is skipped while policy.yaml does not load',
    { config: { policy: rejects(badFile) } },
    {
      code: null,
      says: 'Not compared',
      remedy: 'policy.yaml',
    },
  ),
  rowCase(
    'worktrees: ok',
    'says when each worktree belongs to an item',
    {},
    { code: null, says: 'each belongs to an item', remedy: null },
  ),
  rowCase(
    'worktrees: fail',
    'fails on directories that no item has',
    { options: { strayWorktrees: () => Promise.resolve(['/home/you/.kraft/run/worktrees/lost']) } },
    { code: 'WORKTREES_STRAY', says: '/home/you/.kraft/run/worktrees/lost', remedy: 'git worktree prune' },
  ),
  rowCase(
    'worktrees: skipped',
    'cannot tell without a daemon',
    { options: { strayWorktrees: null } },
    { code: null, says: 'Not compared', remedy: 'daemon' },
  ),
];

const unread = configErrors.create('CONFIG_UNREAD_KEY', {
  file: 'repos.yaml',
  line: 7,
  path: 'repos[0]',
  problem: 'is not read',
  key: 'colour',
  remedy: 'Remove colour from the entry.',
});
const notARepository = gitErrors.create('NOT_A_REPOSITORY', { path: '/code/shop', why: 'not a git repository' });
const reftable = {
  root: '/code/shop',
  commonDir: '/code/shop/.git',
  refStorage: 'reftable',
  objectFormat: 'sha1',
} as const;
const noProposal = { propose: () => Promise.resolve({ setup: null, test: null }) };

/** The repository with lists for its runtime phase. */
function listed(runtime: NetworkPhase): ResolvedRepo {
  return repo({ sandbox: sandbox({ network: { install: { allow: [], deny: [] }, runtime } }) });
}

export const repositoryCases: readonly RowCase[] = [
  rowCase(
    'repo shop: fail',
    'fails on a linked worktree (PF-G04)',
    { probed: { linkedWorktreeOf: '/code/main' } },
    {
      code: 'REPOSITORY_LINKED_WORKTREE',
      says: '/code/main',
      remedy: 'kraft repo connect /code/main',
    },
  ),
  rowCase(
    'repo shop: fail',
    'fails on a path that is no repository',
    { probed: { ...probed, repository: null, problem: notARepository } },
    {
      code: 'NOT_A_REPOSITORY',
      says: '/code/shop',
      remedy: 'git status',
    },
  ),
  rowCase(
    'repo shop: fail',
    'fails on a bare repository',
    { probed: { bare: true } },
    {
      code: 'REPOSITORY_BARE',
      says: 'bare',
      remedy: 'clone',
    },
  ),
  rowCase(
    'repo shop: fail',
    'fails without a commit',
    { probed: { hasCommit: false } },
    {
      code: 'REPOSITORY_EMPTY',
      says: 'no commit',
      remedy: 'first commit',
    },
  ),
  rowCase(
    'repo shop: fail',
    'fails on a branch named kraft',
    { probed: { branchKraft: true } },
    {
      code: 'BRANCH_KRAFT_EXISTS',
      says: 'kraft',
      remedy: 'git branch -m',
    },
  ),
  rowCase(
    'repo shop: fail',
    'fails on refs that are kept as a reftable',
    { probed: { repository: reftable } },
    {
      code: 'REF_STORAGE_UNSUPPORTED',
      says: 'reftable',
      remedy: '--ref-format=files',
    },
  ),
  rowCase(
    'setup shop: fail',
    'fails while it is undecided, with the proposal',
    { repos: [repo({ setupCommand: null })] },
    {
      code: 'SETUP_PROPOSAL',
      says: 'npm ci',
      remedy: "--setup-command 'npm ci'",
    },
  ),
  rowCase(
    'setup shop: ok',
    'is in order when nothing is to be set up',
    { repos: [repo({ setupCommand: '' })] },
    {
      code: null,
      says: 'nothing to set up',
      remedy: null,
    },
  ),
  rowCase(
    'tests shop: warn',
    'warns while they are undecided',
    { repos: [repo({ tests: { kind: 'undeclared' } })], steps: noProposal },
    { code: 'TESTS_PROPOSAL', says: 'propose nothing', remedy: '--no-tests' },
  ),
  rowCase(
    'tests shop: warn',
    'warns when there are none',
    { repos: [repo({ tests: { kind: 'none' } })] },
    {
      code: 'TESTS_NONE',
      says: 'no tests',
      remedy: 'test_command',
    },
  ),
  rowCase(
    'keys shop: fail',
    'fails on a key that nothing reads',
    loaded({ repos: [repo({ unknownKeys: [{ key: 'colour', line: 7 }] })], warnings: [unread] }),
    { code: 'CONFIG_UNREAD_KEY', says: 'colour', remedy: 'Remove colour' },
  ),
  rowCase(
    'keys shop: warn',
    'warns of fields that nothing uses yet',
    { repos: [repo({ forge: 'github', automatedReview: { bot: 'b' } })] },
    { code: 'FIELD_NOT_USED', says: 'forge, automated_review', remedy: 'remove them' },
  ),
  rowCase(
    'egress shop: warn',
    'warns of open egress',
    {},
    {
      code: 'EGRESS_OPEN',
      says: 'metadata address',
      remedy: 'network',
    },
  ),
  rowCase(
    'egress shop: ok',
    'says how much is listed',
    { repos: [listed({ allow: ['a.com', 'b.com:443'], deny: ['c.com'] })] },
    { code: null, says: 'runtime 2 allowed (1 on every port), 1 denied', remedy: null },
  ),
  rowCase(
    'egress shop: warn',
    'warns of an allow list that a deny list takes back',
    { repos: [listed({ allow: ['a.com'], deny: ['*'] })] },
    {
      code: 'EGRESS_ENTRY_DEAD',
      says: 'a.com on the allow list of the runtime phase allows nothing: the deny list has *',
      remedy: 'a deny wins',
    },
  ),
  rowCase(
    'egress shop: warn',
    'warns of an entry that is never reached',
    { repos: [listed({ allow: ['127.0.0.1'], deny: [] })] },
    { code: 'EGRESS_ENTRY_DEAD', says: 'it is an address that is never reached', remedy: 'never reached' },
  ),
  rowCase(
    'egress shop: warn',
    'warns of a name that its wildcard leaves out',
    { repos: [listed({ allow: ['*.x.com'], deny: [] })] },
    { code: 'EGRESS_APEX_LEFT_OUT', says: '*.x.com', remedy: 'kraft repo allow x.com --phase runtime' },
  ),
  rowCase(
    'egress shop: warn',
    'warns of a harness whose host is denied (PF-E15)',
    { repos: [listed({ allow: [], deny: ['*.anthropic.com'] })] },
    {
      code: 'EGRESS_HARNESS_HOST_DENIED',
      says: 'claude needs api.anthropic.com',
      remedy: '*.anthropic.com off the deny list',
    },
  ),
  rowCase(
    'egress shop: skipped',
    'is skipped without a container',
    { repos: [repo({ sandbox: null })] },
    {
      code: null,
      says: 'No container',
      remedy: 'sandbox',
    },
  ),
  rowCase(
    'ca shop: warn',
    'warns of an unusable SSL_CERT_FILE',
    { env: { SSL_CERT_FILE: '/nowhere/ca.pem' } },
    {
      code: 'CA_FILE_IGNORED',
      says: '/nowhere/ca.pem',
      remedy: 'SSL_CERT_FILE',
    },
  ),
  rowCase(
    'proxy shop: warn',
    'warns of a proxy on loopback',
    { env: { HTTPS_PROXY: 'http://127.0.0.1:3128' } },
    {
      code: 'PROXY_NOT_FORWARDED',
      says: 'HTTPS_PROXY',
      remedy: 'address that containers reach',
    },
  ),
  rowCase(
    'proxy shop: warn',
    'warns of proxies in the configuration of the docker CLI, which are kept out (PF-P04)',
    {
      env: { DOCKER_CONFIG: '/d' },
      host: { namesDockerProxies: (path) => Promise.resolve(path === '/d/config.json') },
    },
    { code: 'DOCKER_PROXIES_KEPT_OUT', says: '/d/config.json', remedy: 'HTTPS_PROXY' },
  ),
  rowCase(
    'proxy shop: warn',
    'warns of them under a network policy too',
    {
      repos: [listed({ allow: [], deny: [] })],
      env: { DOCKER_CONFIG: '/d' },
      host: { namesDockerProxies: () => Promise.resolve(true) },
    },
    { code: 'DOCKER_PROXIES_KEPT_OUT', says: 'a proxy of their own under `network`', remedy: 'HTTPS_PROXY' },
  ),
  rowCase(
    'proxy shop: ok',
    'says how it read the proxy that the daemon goes through (PF-P10)',
    {
      repos: [listed({ allow: [], deny: [] })],
      env: { HTTPS_PROXY: 'ada:hunter2@127.0.0.1:3128', no_proxy: 'corp.example' },
    },
    {
      code: null,
      says: 'https goes through 127.0.0.1:3128 (HTTPS_PROXY, with a password), http through no proxy; directly: corp.example',
      remedy: null,
    },
  ),
  rowCase(
    'proxy shop: fail',
    'fails under a network policy when the daemon’s proxy cannot be used',
    { repos: [listed({ allow: [], deny: [] })], env: { https_proxy: 'https://p.example' } },
    { code: 'UPSTREAM_PROXY_UNUSABLE', says: 'speaks https', remedy: 'http://host:port' },
  ),
  rowCase(
    'proxy shop: ok',
    'names what is passed on',
    { env: { HTTP_PROXY: 'http://proxy.example.org:3128' } },
    {
      code: null,
      says: 'HTTP_PROXY',
      remedy: null,
    },
  ),
];

const said = (stderr: string): Ground => ({
  engine: { runThrowaway: () => Promise.resolve({ exitCode: 125, stdout: '', stderr, timedOut: false }) },
});
/** A relay that does not come up, where there is a network policy, and where there is none to ask for it. */
const noRoute = relayErrors.create('RELAY_SILENT', {
  container: 'kraft-relay-x',
  directory: '/run/sn/x',
  waitedMs: 10_000,
});
const lacking = launchErrors.create('PROGRAMS_MISSING', {
  image: 'agent:1',
  missing: [{ program: 'claude', neededBy: 'harness claude' }],
});
const notBuilt = launchErrors.create('FEATURE_NOT_BUILT', { what: 'network' });

export const sandboxCases: readonly RowCase[] = [
  rowCase(
    'sandbox shop: fail',
    'fails with what configuration alone would stop an item with',
    { steps: { refusals: () => Promise.resolve([notBuilt]) } },
    { code: 'FEATURE_NOT_BUILT', says: 'network', remedy: 'network' },
  ),
  rowCase(
    'sandbox shop: warn',
    'warns of a Node that finds no proxy under a network policy (PF-P05)',
    { repos: [listed({ allow: [], deny: [] })], inside: { node: 'v22.20.0' } },
    { code: 'NODE_IGNORES_PROXY', says: 'Node 22.20.0 in agent:1', remedy: 'Node 24' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails when the image is not here, and fetches nothing',
    { engine: { inspectImage: () => Promise.resolve(null) } },
    { code: 'IMAGE_MISSING', says: 'agent:1', remedy: 'pull agent:1' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails on a limit that cannot be enforced, naming controller and drop-in (PF-L06, PF-L12)',
    { facts: { enforceable: new Set(['memory', 'pids'] as const) } },
    { code: 'LIMIT_UNENFORCEABLE', says: 'resources.cpu: 2', remedy: 'Delegate=cpu cpuset io memory pids' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails on a limit that nobody can tell of',
    { facts: { enforceable: 'unknown' } },
    {
      code: 'LIMIT_UNKNOWN',
      says: 'resources.memory',
      remedy: 'asks again',
    },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails on a limit that the engine took and the kernel does not show inside (PF-L08)',
    { inside: { memory: 'max' } },
    { code: 'LIMIT_NOT_SEEN', says: 'memory 1g', remedy: 'cgroup v2' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails when what a container wrote is not the person’s',
    { writtenBy: 101_000 },
    {
      code: 'FILES_NOT_YOURS',
      says: '101000',
      remedy: '/etc/subuid',
    },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails when a container cannot write where it has to',
    { inside: { write: 'no' }, writtenBy: null },
    { code: 'FILES_NOT_WRITABLE', says: 'cannot write', remedy: 'selinux: relabel' },
  ),
  rowCase('sandbox shop: unknown', 'is unknown when the container gives no answer', said('storage is full'), {
    code: 'PROBE_WITHOUT_ANSWER',
    says: 'storage is full',
    remedy: 'docker run --rm',
  }),
  rowCase(
    'sandbox shop: fail',
    'fails with what a launch stops with before it starts (PF-D09)',
    { steps: { preflight: rejects(lacking) } },
    { code: 'PROGRAMS_MISSING', says: 'claude (needed by harness claude)', remedy: 'Install' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails under a network policy when no request comes through a relay (SI-9.5 E13)',
    { repos: [listed({ allow: [], deny: [] })], steps: { probeRoute: rejects(noRoute) } },
    { code: 'RELAY_SILENT', says: 'did not reach its socket', remedy: 'selinux: disable' },
  ),
  rowCase(
    'sandbox shop: ok',
    'needs no relay without a network policy',
    { steps: { probeRoute: rejects(noRoute) } },
    { code: null, says: 'image', remedy: null },
  ),
  rowCase(
    'sandbox shop: warn',
    'warns of what a launch only remarks',
    { steps: { preflight: () => Promise.resolve({ facts, imageId: 'abc', pulled: false, warnings: ['no answer.'] }) } },
    { code: 'LAUNCH_NOTE', says: 'no answer.', remedy: 'mend it' },
  ),
  rowCase(
    'sandbox shop: fail',
    'fails on an unusable `ca_bundle`',
    { settings: { caBundle: '/nowhere/extra.pem' } },
    {
      code: 'CA_BUNDLE_UNUSABLE',
      says: '/nowhere/extra.pem',
      remedy: 'PEM',
    },
  ),
  rowCase(
    'sandbox shop: skipped',
    'is skipped where nothing would run and nothing refuses',
    { repos: [repo({ sandbox: null })] },
    { code: null, says: 'Nothing to check', remedy: 'sandbox' },
  ),
];
