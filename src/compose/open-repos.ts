import { basename } from 'node:path';
import { realpath } from 'node:fs/promises';
import { silentLog } from '../base/index.ts';
import {
  addRepo,
  editHosts,
  fillRepo,
  loadRepos,
  removeRepo,
  renderSandbox,
  type HomePaths,
  type RepoFill,
  type ResolvedRepo,
} from '../config/index.ts';
import { forgeOf, type Candidate } from '../detect/index.ts';
import { askSystem, readOwnAddresses } from '../egress/index.ts';
import { gitErrors, type Git, type RepositoryProbe } from '../git/index.ts';
import { checkHost } from './check-host.ts';
import { toPublicRepo } from './create-kraft.ts';
import type { Environment } from './environment.ts';
import { describeNetwork, planSandbox } from './connect-network.ts';
import { findRegistries, type FoundRegistries } from './find-registries.ts';
import { findRepo } from './find-repo.ts';
import { openHome } from './open-home.ts';
import { openHomeGit } from './open-parts.ts';
import { proposeFor, type FoundProposal } from './propose.ts';
import type { ConnectedCommand, ConnectReport, ConnectRequest, Repos } from './repos.ts';

/** The repositories of an environment's home; needs neither daemon nor engine. */
export function openRepos(environment: Environment): Repos {
  const paths = openHome(environment);
  const git = openHomeGit(environment, paths, silentLog);
  return {
    list: async () => (await loadRepos(paths)).repos.map(toPublicRepo),
    connect: (request) => connect({ git, paths, variables: environment.variables }, request),
    disconnect: async (named) => {
      const path = await realpath(named).catch(() => named);
      const { repos } = await loadRepos(paths);
      const found = repos.some((repo) => repo.path === named) ? named : findRepo(path, repos).path;
      const { label } = await removeRepo(paths, found);
      return { path: found, label };
    },
    checkHost: async (request) => {
      const repo = findRepo(request.repo, (await loadRepos(paths)).repos);
      return checkHost(repo, request, { paths, lookup: askSystem, own: readOwnAddresses(() => []) });
    },
    editHosts: async (request) => {
      const { path, label } = findRepo(request.repo, (await loadRepos(paths)).repos);
      const { list, phase } = request;
      // Named one by one: the entry that comes with them holds the values of its `env`.
      const { added, present, moved, denied } = await editHosts(paths, { ...request, repo: path });
      return { path, label, list, phase, added, present, moved, denied };
    },
  };
}

interface ConnectEdges {
  readonly git: Git;
  readonly paths: HomePaths;
  readonly variables: Environment['variables'];
}

async function connect({ git, paths, variables }: ConnectEdges, request: ConnectRequest): Promise<ConnectReport> {
  const { probe, root, namedWorktree } = await findMain(git, request.path);
  const proposal = await proposeFor(git, root);
  const before = (await loadRepos(paths)).repos.find((repo) => repo.path === root) ?? null;
  const registries = await findOpenRegistries({ variables, root, before }, request, proposal);
  const wanted = { request, proposal, sandbox: planSandbox(request, registries) };
  const saved = before === null ? await add(paths, root, { ...wanted, probe }) : await fill(paths, before, wanted);
  const { repo, changed } = saved;
  return {
    outcome: before === null ? 'connected' : changed ? 'completed' : 'already_connected',
    path: root,
    label: repo.label,
    namedWorktree,
    readFrom: proposal.readFrom,
    setup: describeSetup(request, proposal, before, repo),
    test: describeTest(request, proposal, before, repo),
    scopes: repo.tests.kind === 'scopes' && repo.tests.scopes.length > 1 ? repo.tests.scopes : [],
    image: repo.sandbox?.kind === 'docker' ? repo.sandbox.image : null,
    network: describeNetwork(before, repo, registries),
    warnings: [...probe.notes, ...listIgnored(request, before)],
  };
}

/** What a new sandbox would list; null where none is to be written: a sandbox that is there stays as it is. */
async function findOpenRegistries(
  { variables, root, before }: Pick<ConnectEdges, 'variables'> & { root: string; before: ResolvedRepo | null },
  request: ConnectRequest,
  proposal: FoundProposal,
): Promise<FoundRegistries | null> {
  if ((before?.sandbox ?? null) !== null || request.openNetwork) return null;
  const setupCommand = before?.setupCommand ?? request.setupCommand ?? proposal.setup[0]?.command ?? '';
  return findRegistries({ setupCommand, proposal, variables, root });
}

/** What was asked for and not written, because the entry already decides it. */
function listIgnored(request: ConnectRequest, before: ResolvedRepo | null): readonly string[] {
  if (before === null) return [];
  const { image, network } = before.sandbox?.kind === 'docker' ? before.sandbox : { image: null, network: null };
  const ignored = [
    request.setupCommand !== null && before.setupCommand !== null && request.setupCommand !== before.setupCommand,
    request.testCommand !== null && before.tests.kind !== 'undeclared' && request.testCommand !== testCommandOf(before),
    request.image !== null && before.sandbox !== null && request.image !== image,
    request.openNetwork && network !== null,
  ];
  const names = ['setup_command', 'test_command', 'sandbox', 'network'].filter((_, at) => ignored[at]);
  return names.map((name) => `repos.yaml decides ${name} already (line ${before.line}); change it there.`);
}

/** What the entry runs for tests: `''` for none, null where nothing is declared. */
function testCommandOf({ tests }: ResolvedRepo): string | null {
  if (tests.kind === 'scopes') return tests.scopes[0]?.command ?? null;
  return tests.kind === 'none' ? '' : null;
}

/** The main checkout of the named path, usable. Errors: whatever git's probe finds wrong with it. */
async function findMain(
  git: Git,
  named: string,
): Promise<{ readonly probe: RepositoryProbe; readonly root: string; readonly namedWorktree: string | null }> {
  const first = await git.probeRepository(named);
  const main = first.linkedWorktreeOf;
  const probe = main === null ? first : await git.probeRepository(main);
  if (probe.problem !== null) throw probe.problem;
  if (probe.repository === null) throw gitErrors.create('NOT_A_REPOSITORY', { path: named, why: 'no git directory' });
  return { probe, root: probe.repository.root, namedWorktree: main === null ? null : named };
}

interface Wanted {
  readonly request: ConnectRequest;
  readonly proposal: FoundProposal;
  readonly sandbox: NonNullable<RepoFill['sandbox']>;
}

interface Saved {
  readonly repo: ResolvedRepo;
  readonly changed: boolean;
}

async function add(
  paths: HomePaths,
  root: string,
  wanted: Wanted & { readonly probe: RepositoryProbe },
): Promise<Saved> {
  const { request, proposal, probe, sandbox } = wanted;
  const forge = probe.originUrl === null ? null : forgeOf(probe.originUrl);
  const setup = request.setupCommand ?? proposal.setup[0]?.command;
  const test = request.testCommand ?? proposal.test[0]?.command;
  const scopes = request.testCommand === null ? proposal.scopes : [];
  const repo = await addRepo(paths, {
    path: root,
    name: basename(root),
    ...(setup === undefined ? {} : { setup_command: setup }),
    ...(test === undefined ? {} : { test_command: test }),
    ...(scopes.length === 0 ? {} : { test_scopes: scopes.map((scope) => ({ ...scope, paths: [...scope.paths] })) }),
    ...(forge === null ? {} : { forge: forge.forge, project: forge.project }),
    sandbox: renderSandbox(sandbox),
  });
  return { repo, changed: true };
}

/** Decides what the entry leaves open; what it says stays as it is. */
async function fill(paths: HomePaths, before: ResolvedRepo, { request, proposal, sandbox }: Wanted): Promise<Saved> {
  const { repo, filled } = await fillRepo(paths, before.path, {
    name: null,
    forge: null,
    project: null,
    setupCommand: request.setupCommand ?? proposal.setup[0]?.command ?? null,
    testCommand: request.testCommand ?? proposal.test[0]?.command ?? null,
    testScopes: request.testCommand === null && proposal.scopes.length > 0 ? proposal.scopes : null,
    sandbox,
  });
  return { repo, changed: filled.length > 0 };
}

function describeSetup(
  request: ConnectRequest,
  proposal: FoundProposal,
  before: ResolvedRepo | null,
  repo: ResolvedRepo,
): ConnectedCommand {
  return describe(repo.setupCommand, {
    given: request.setupCommand,
    kept: (before?.setupCommand ?? null) !== null,
    candidates: proposal.setup,
    proposal,
  });
}

function describeTest(
  request: ConnectRequest,
  proposal: FoundProposal,
  before: ResolvedRepo | null,
  repo: ResolvedRepo,
): ConnectedCommand {
  return describe(testCommandOf(repo), {
    given: request.testCommand,
    kept: before !== null && before.tests.kind !== 'undeclared',
    candidates: proposal.test,
    proposal,
  });
}

function describe(
  command: string | null,
  found: {
    readonly given: string | null;
    readonly kept: boolean;
    readonly candidates: readonly Candidate[];
    readonly proposal: FoundProposal;
  },
): ConnectedCommand {
  const origin = found.kept ? 'kept' : found.given !== null ? 'given' : command === null ? 'none' : 'proposed';
  const candidates = found.candidates.map((each) => ({ command: each.command, marker: each.marker }));
  const [stop] = found.proposal.stops;
  return {
    command,
    origin,
    marker: origin === 'proposed' ? (candidates[0]?.marker ?? null) : null,
    alsoFound: candidates.filter((each) => each.command !== command),
    note: command === null && stop !== undefined ? `${stop.marker}: ${stop.reason}` : null,
  };
}
