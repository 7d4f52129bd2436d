import { join } from 'node:path';
import { renderCaVariables } from '../credentials/index.ts';
import { renderPins, workerPins, type Pin } from '../refs/index.ts';
import {
  type ContainerLimits,
  type ContainerSpec,
  type EngineKind,
  type Mount,
  type UserPlan,
  containerLabels,
  containerPaths,
  sessionContainerName,
} from '../runtime/index.ts';
import { planEgress, renderProxyVariables } from '../egress/index.ts';
import { launchErrors } from './errors.ts';
import type { LaunchPlan, LaunchRequest, LaunchTrack } from './launch.ts';

/** What the machine said, as far as a plan depends on it. Host paths are absolute and real. */
export interface PlanFacts {
  readonly kind: EngineKind;
  /** `$KRAFT_HOME`, for the label. */
  readonly home: string;
  readonly run: string;
  /** The worktree with every symbolic link resolved (SI-9.1 A12). */
  readonly worktree: string;
  readonly user: UserPlan;
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
  /** Files that give the container's user a name; null where the image has an entry of its own. */
  readonly passwd: string | null;
  readonly group: string | null;
  /** Host path of the CA bundle; null when this machine has no extra CA. */
  readonly caBundle: string | null;
  /** The image's own PATH. */
  readonly imagePath: string;
  /** Host folder of the shim; null under open egress, where it has nobody to call. */
  readonly shimDir: string | null;
  /** Names that cross bare, in order (`credentials.planForwarding`). */
  readonly forwardedNames: readonly string[];
}

/** Paths of everything that a launch leaves on the host. The one place where they are named (SI 0.3). */
export function launchPaths(run: string, itemId: string, sessionId: string): LaunchPaths {
  const clientDir = join(run, 'sandbox-client', sessionContainerName(sessionId));
  const resultDir = join(run, 'results', sessionId);
  return {
    clientDir,
    cidFile: join(clientDir, 'cid'),
    configPath: join(clientDir, 'agent-config'),
    logPath: join(run, 'logs', `${sessionId}.log`),
    // Beside the directory that the worker writes, not in it.
    exitPath: join(run, 'results', `${sessionId}.exit`),
    resultDir,
    resultPath: join(resultDir, resultFile),
    sandboxHome: join(run, 'sandbox-home', itemId),
    decisionLog: join(run, 'egress', `${sessionId}.jsonl`),
  };
}

/**
 * The id of a setup command's launch. It has no session row (SI 1.19), so what it leaves tells by its name whose it is.
 */
export function setupSessionId(itemId: string, id: string): string {
  return `${setupPrefix(itemId)}${id}`;
}

/** How the ids of an item's setup commands begin. */
export function setupPrefix(itemId: string): string {
  return `setup-${itemId}-`;
}

export interface LaunchPaths {
  readonly clientDir: string;
  readonly cidFile: string;
  /** Folder of the agent's config files on the host. */
  readonly configPath: string;
  readonly logPath: string;
  readonly exitPath: string;
  readonly resultDir: string;
  readonly resultPath: string;
  readonly sandboxHome: string;
  /** Decisions on what the session asked for, a line each. */
  readonly decisionLog: string;
}

export const resultFile = 'result.json';

/** argv of a command text that a shell reads: a setup command. */
export function shellCommand(text: string): readonly string[] {
  return ['sh', '-c', text];
}

/** Anybody may write beside the files; it is small, and counts against the memory limit. */
const agentConfigOptions = 'mode=1777,size=64m';

/** One argument of a process, terminating zero included (MAX_ARG_STRLEN). */
const argumentMaxBytes = 128 * 1024;

/** Turns a request and what the machine said into the whole launch as data (SI 1.4 to 1.7). Pure. */
export function planLaunch(request: LaunchRequest, facts: PlanFacts): LaunchPlan {
  const longest = Math.max(...request.command.map((part) => Buffer.byteLength(part) + 1));
  if (longest > argumentMaxBytes)
    throw launchErrors.create('COMMAND_TOO_LONG', { sizeBytes: longest - 1, maxBytes: argumentMaxBytes - 1 });
  const paths = launchPaths(facts.run, request.itemId, request.sessionId);
  const literals = planLiterals(request, facts);
  const envNames = facts.forwardedNames.filter((name) => !Object.hasOwn(literals, name));
  const container: ContainerSpec = {
    name: sessionContainerName(request.sessionId),
    labels: containerLabels(facts.home, request.role === 'setup' ? 'setup' : 'worker', request.sessionId),
    image: request.sandbox.image,
    command: request.command,
    entrypoint: null,
    user: facts.user.user,
    userNamespace: facts.user.userNamespace,
    mounts: planMounts(request, facts, paths),
    tmpfs: request.configDir === null ? {} : { [containerPaths.agentConfig]: agentConfigOptions },
    workingDir: facts.worktree,
    envLiterals: literals,
    envNames,
    network: null,
    limits: facts.limits,
    init: true,
    readOnlyRoot: false,
    interactive: false,
    cidFile: facts.kind === 'docker' ? paths.cidFile : null,
    // It was there a moment ago; a download inside the task's time would be nobody's intention.
    pull: 'never',
    selinux: facts.selinux,
  };
  return {
    track: planTrack(request, facts, paths),
    container,
    secretNames: envNames.map((name) => ({
      name,
      source: Object.hasOwn(request.repo.env, name) ? 'repository' : 'daemon',
    })),
    directories: planDirectories(request, facts.run, paths),
    files: planConfigFiles(request, paths).map(({ path, content }) => ({ path, content })),
    owned: [paths.sandboxHome, request.store.dir, ...(request.role === 'setup' ? [] : [paths.resultDir])],
    resultDir: request.role === 'setup' ? null : paths.resultDir,
    network: planNetwork(request, paths),
  };
}

function planNetwork(request: LaunchRequest, { decisionLog }: LaunchPaths): LaunchPlan['network'] {
  const { phase, harnessHosts } = request;
  const { network } = request.sandbox;
  return network === null ? null : { lists: planEgress({ network, phase, harnessHosts }), decisionLog };
}

function planTrack(request: LaunchRequest, facts: PlanFacts, paths: LaunchPaths): LaunchTrack {
  return {
    itemId: request.itemId,
    sessionId: request.sessionId,
    role: request.role,
    container: sessionContainerName(request.sessionId),
    logPath: paths.logPath,
    exitPath: paths.exitPath,
    cidFile: facts.kind === 'docker' ? paths.cidFile : null,
    clientDir: paths.clientDir,
    resultPath: request.role === 'setup' ? null : paths.resultPath,
    memoryBytes: facts.limits.memoryBytes,
    timeCapMs: request.timeCapMs,
  };
}

/** What is writable: worktree, ref store with its admin directory, own results, HOME. Everything else is read-only. */
function planMounts(request: LaunchRequest, facts: PlanFacts, paths: LaunchPaths): readonly Mount[] {
  const writable = (source: string, target: string): Mount => ({ source, target, readOnly: false });
  const readOnly = (source: string | null, target: string): Mount[] =>
    source === null ? [] : [{ source, target, readOnly: true }];
  return [
    writable(facts.worktree, facts.worktree),
    ...request.store.mounts,
    ...(request.role === 'setup' ? [] : [writable(paths.resultDir, containerPaths.results)]),
    writable(paths.sandboxHome, containerPaths.home),
    ...readOnly(facts.passwd, '/etc/passwd'),
    ...readOnly(facts.group, '/etc/group'),
    ...readOnly(facts.caBundle, containerPaths.caBundle),
    ...readOnly(request.sandbox.network === null ? null : facts.shimDir, containerPaths.shim),
    ...planConfigFiles(request, paths).flatMap(({ path, target }) => readOnly(path, target)),
  ];
}

/**
 * The harness's config files, each mounted on its own into a folder that lives as long as the container: a product may
 * write beside them, and nothing that a worker writes is there for the next launch (CC 4.2). They lie in the client's
 * directory, so that teardown, adoption and sweep know them.
 */
function planConfigFiles(
  { configDir }: LaunchRequest,
  { configPath }: LaunchPaths,
): readonly { readonly path: string; readonly target: string; readonly content: string }[] {
  return Object.entries(configDir?.files ?? {}).map(([name, content]) => ({
    path: join(configPath, name),
    target: `${containerPaths.agentConfig}/${name}`,
    content,
  }));
}

/** `NAME=VALUE` pairs, later layers winning (SI 1.6). Nothing here comes from a variable that may hold a secret. */
function planLiterals(request: LaunchRequest, facts: PlanFacts): Readonly<Record<string, string>> {
  const { identity } = request;
  // Exact paths: the worker's user may differ from the owner that git sees through the mounts.
  const safe: readonly Pin[] = [...new Set([facts.worktree, request.store.commonDir, request.store.adminDir])].map(
    (path) => ['safe.directory', path],
  );
  return {
    ...renderPins([...workerPins, ...safe]),
    ...(facts.caBundle === null ? {} : renderCaVariables(containerPaths.caBundle)),
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    // Caches beside the sources would read as changes of the worktree.
    ...(request.role === 'subprocess' ? { PYTHONDONTWRITEBYTECODE: '1' } : {}),
    ...request.env,
    ...configVariable(request.configDir),
    HOME: containerPaths.home,
    ...sessionVariables(request),
    // Last: nothing that a task or a repository sets leads around the proxy.
    ...(request.sandbox.network === null
      ? {}
      : renderProxyVariables({ imagePath: facts.imagePath, shimDir: containerPaths.shim })),
  };
}

function configVariable(configDir: LaunchRequest['configDir']): Readonly<Record<string, string>> {
  if (configDir === null) return {};
  const { variable, names } = configDir;
  return { [variable]: names === null ? containerPaths.agentConfig : `${containerPaths.agentConfig}/${names}` };
}

/** What a session is told of itself (CC 12). */
function sessionVariables(request: LaunchRequest): Readonly<Record<string, string>> {
  if (request.role === 'setup') return {};
  return {
    KRAFT_RESULT_PATH: `${containerPaths.results}/${resultFile}`,
    ...(request.role === 'agent' ? { KRAFT_WORK_ITEM_ID: request.itemId, KRAFT_SESSION_ID: request.sessionId } : {}),
  };
}

function planDirectories(
  { role, configDir }: Pick<LaunchRequest, 'role' | 'configDir'>,
  run: string,
  paths: LaunchPaths,
): LaunchPlan['directories'] {
  const dirs = [
    ...['logs', 'results', 'sandbox-client', 'sandbox-home', 'egress'].map((name) => join(run, name)),
    paths.clientDir,
    ...(configDir === null ? [] : [paths.configPath]),
    paths.sandboxHome,
    ...(role === 'setup' ? [] : [paths.resultDir]),
  ];
  return dirs.map((path) => ({ path, mode: 0o700 }));
}
