import { asKraftError, gatherErrors, hasCode, type KraftError } from '../base/index.ts';
import { listCandidates, listTasks, chainErrors, type AgentChainTask, type Chain } from '../chain/index.ts';
import type { ResolvedRepo } from '../config/index.ts';
import type { Identity, Repository } from '../git/index.ts';
import type { SelectedHarness } from '../harness/index.ts';
import type { Item } from '../items/index.ts';
import { checkDiskFloor, listPrograms, refuseUnbuilt, type DockerSandbox, type ProgramNeed } from '../launch/index.ts';
import { checkRoute, openFirst } from './agent-routes.ts';
import { walkErrors } from './errors.ts';
import { thaw } from './frozen.ts';
import type { WalkPorts } from './ports.ts';
import type { Run } from './run.ts';
import { Stopped } from './stops.ts';

/** What a walk needs before anything of the item is touched; every refusal has been thrown already. */
export interface Ready {
  readonly repo: ResolvedRepo;
  readonly chain: Chain;
  readonly sandbox: DockerSandbox;
  readonly repository: Repository;
  readonly identity: Identity;
  /** By canonical path of the agent task. */
  readonly harnesses: ReadonlyMap<string, SelectedHarness>;
  readonly engine: 'docker' | 'podman';
}

/**
 * Asks, in this order, everything that can refuse the item while nothing of it exists yet (PF-G05): chain, sandbox,
 * features, setup, harness, repository, identity, disk, and the launcher's own preflight.
 */
export async function readyItem(ports: WalkPorts, run: Run, item: Item): Promise<Ready> {
  const { repo, chain } = thaw(item);
  if (chain.unbuilt.length > 0) {
    throw chainErrors.create('CHAIN_PART_NOT_BUILT', { chain: chain.id, parts: chain.unbuilt });
  }
  const sandbox = checkSandbox(repo);
  if (repo.setupCommand === null) throw walkErrors.create('SETUP_UNDECIDED', { repo: repo.path });
  const harnesses = await selectHarnesses(ports, item, { repo, chain, sandbox });
  const { repository, identity } = await openForCommits(ports, repo);
  await checkDisk(ports);
  run.checkpoint();
  const { facts, warnings } = await ports.launcher.preflight({
    repo,
    sandbox,
    programs: listNeeds({ repo, chain, harnesses }),
    onProgress: (line) => ports.log.info(`${item.id}: ${line}`),
  });
  for (const warning of warnings) ports.log.warn(`${item.id}: ${warning}`);
  run.checkpoint();
  return { repo, chain, sandbox, repository, identity, harnesses, engine: facts.kind };
}

/** The person's repository as it stands now. Errors: REPO_UNUSABLE, and those of git's probe. */
export async function openRepository(
  ports: Pick<WalkPorts, 'git'>,
  repo: Pick<ResolvedRepo, 'path'>,
): Promise<Repository> {
  return (await probeUsable(ports, repo)).repository;
}

/** The same with the author of what is committed there. Errors: as `openRepository`, and IDENTITY_MISSING. */
export async function openForCommits(
  ports: Pick<WalkPorts, 'git'>,
  repo: Pick<ResolvedRepo, 'path'>,
): Promise<{ readonly repository: Repository; readonly identity: Identity }> {
  const { repository, identity } = await probeUsable(ports, repo);
  if (identity === null) throw walkErrors.create('IDENTITY_MISSING', { repo: repo.path });
  return { repository, identity };
}

async function probeUsable(
  ports: Pick<WalkPorts, 'git'>,
  repo: Pick<ResolvedRepo, 'path'>,
): Promise<{ readonly repository: Repository; readonly identity: Identity | null }> {
  const probe = await ports.git.probeRepository(repo.path);
  const unusable = (why: string): Error => walkErrors.create('REPO_UNUSABLE', { repo: repo.path, why });
  if (probe.repository === null) throw unusable('it is no git repository any more');
  if (probe.linkedWorktreeOf !== null) throw unusable(`it is a linked worktree of ${probe.linkedWorktreeOf}`);
  if (probe.bare) throw unusable('it is bare');
  if (!probe.hasCommit) throw unusable('it has no commit');
  if (probe.branchKraft) throw unusable('it has a branch named kraft, so that no branch kraft/… can be made');
  return { repository: probe.repository, identity: probe.identity };
}

/** Under the floor of `policy.yaml` nothing is launched, and the item pauses. Errors: DISK_FLOOR. */
export async function checkDisk(ports: WalkPorts): Promise<void> {
  const { diskFloorBytes } = await ports.loadPolicy();
  const reached = await checkDiskFloor(ports.paths.run, diskFloorBytes);
  if (reached !== null) throw reached;
}

/**
 * The floor that an error comes down to; null when it is about something else. What the machine failed at (git, the engine,
 * a file that could not be written) while the disk is under its floor failed for want of room: the item pauses.
 */
export async function findDiskFloor(ports: WalkPorts, error: unknown): Promise<KraftError | null> {
  const known = error instanceof Stopped ? null : asKraftError(error);
  if (known === null || !['environment', 'bug'].includes(known.kind)) return null;
  if (hasCode(known, 'DISK_FLOOR')) return known;
  try {
    await checkDisk(ports);
    return null;
  } catch (full) {
    return hasCode(full, 'DISK_FLOOR') ? full : null;
  }
}

/** The sandbox that a launch can be built from, or the reason why there is none. */
export function checkSandbox(repo: ResolvedRepo): DockerSandbox {
  const { sandbox } = repo;
  if (sandbox === null) throw walkErrors.create('SANDBOX_MISSING', { repo: repo.path });
  const parts = [
    ...(sandbox.kind === 'kit' ? ['a sandbox of kind kit'] : []),
    ...(repo.steering.length > 0 ? [`steering (${repo.steering.join(', ')})`] : []),
  ];
  const problems = [
    ...(sandbox.kind === 'docker' ? refuseUnbuilt(sandbox) : []),
    ...(parts.length > 0 ? [walkErrors.create('ITEM_NEEDS_UNBUILT', { parts })] : []),
  ];
  const [first, ...rest] = problems;
  if (first !== undefined || sandbox.kind !== 'docker') {
    throw gatherErrors([first ?? walkErrors.create('SANDBOX_MISSING', { repo: repo.path }), ...rest]);
  }
  return sandbox;
}

/** Every program that some task of the item runs, once each. */
export function listNeeds({
  repo,
  chain,
  harnesses,
}: Pick<Ready, 'repo' | 'chain' | 'harnesses'>): readonly ProgramNeed[] {
  const hasRoute = repo.sandbox?.kind === 'docker' && repo.sandbox.network !== null;
  const commands = {
    hasRoute,
    setupCommand: repo.setupCommand,
    testCommands: [...listCandidates(repo).map((scope) => scope.command), ...subprocessCommands(chain)],
  };
  const needs = [
    ...listPrograms({ ...commands, harness: null }),
    ...[...harnesses.values()].flatMap(({ harness }) =>
      listPrograms({ harness, setupCommand: null, testCommands: [], hasRoute }),
    ),
  ];
  return [...new Map(needs.map((need) => [need.program, need])).values()];
}

function agentTasks(chain: Chain): readonly AgentChainTask[] {
  return listTasks(chain).flatMap(({ task }) => (task.kind === 'agent' ? [task] : []));
}

function subprocessCommands(chain: Chain): readonly string[] {
  return listTasks(chain).flatMap(({ task }) => (task.kind === 'subprocess' ? [task.command] : []));
}

/** The harness of each agent task, by its path: the first of its routes that is there. Errors: HARNESS_*, and what refuses the agent's launch. */
export async function selectHarnesses(
  ports: Pick<WalkPorts, 'loadHarness' | 'loadAgentProfiles'>,
  item: Pick<Item, 'harness'>,
  { repo, chain, sandbox }: { readonly repo: ResolvedRepo; readonly chain: Chain; readonly sandbox: DockerSandbox },
): Promise<ReadonlyMap<string, SelectedHarness>> {
  const selected = new Map<string, SelectedHarness>();
  for (const task of agentTasks(chain)) {
    const open = await openFirst(ports, task, { item, repo });
    checkRoute(open, { repo, sandbox });
    selected.set(task.path, open.selected);
  }
  return selected;
}
