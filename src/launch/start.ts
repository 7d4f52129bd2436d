import { lstatSync, rmSync } from 'node:fs';
import type { ResolvedRepo } from '../config/index.ts';
import { type EnvReader, readForwarded, revealForwarded } from '../credentials/index.ts';
import { startClient } from '../process/index.ts';
import { type KnownEngineFacts, findForeignOwner } from '../runtime/index.ts';
import type { LaunchPlan, RunningLaunch, StartHooks } from './launch.ts';
import type { OpenedRoute, Routes } from './route.ts';
import { makeDirectory, replaceFile } from './save-file.ts';
import { Supervision, type SuperviseContext } from './supervise.ts';
import { verifyMounts } from './verify-mounts.ts';

export interface StartContext extends SuperviseContext {
  readonly facts: KnownEngineFacts;
  readonly env: EnvReader;
  /** Who Kraft runs as. */
  readonly uid: number;
  /** Items whose mounts were seen to be right, by item and image, for this process. */
  readonly verified: Set<string>;
  readonly routes: Routes;
}

/**
 * Executes a plan: directories, ownership, config files, a look inside, the walk's last word, the client. Null when `confirm` said no;
 * nothing has been started then. Errors: STATE_PATH_REFUSED, FOREIGN_OWNER, SANDBOX_MOUNTS_WRONG, CONTAINER_NOT_CREATED,
 * CLIENT_NOT_STARTED.
 */
export async function startLaunch(
  context: StartContext,
  plan: LaunchPlan,
  repo: ResolvedRepo,
  hooks: StartHooks,
): Promise<RunningLaunch | null> {
  const { track } = plan;
  for (const directory of plan.directories) makeDirectory(directory.path, directory.mode);
  const owned = plan.owned.map((path) => ({ path, ownerUid: ownerOf(path) }));
  const foreign = findForeignOwner(context.facts, context.uid, owned);
  if (foreign !== null) throw foreign;
  // Of an earlier try with this id: Docker refuses an id file that exists, and an old code is nobody's.
  for (const path of [track.cidFile, track.exitPath]) if (path !== null) rmSync(path, { force: true });
  // What can overlap does: the relay comes up while the mounts are looked at.
  const routing = openRoute(context, plan);
  try {
    for (const file of plan.files) replaceFile(file.path, file.content, 0o644);
    const [opened] = await Promise.all([routing, verifyOnce(context, plan, hooks)]);
    if (!(await hooks.confirm())) {
      await undo(track.clientDir, routing);
      return null;
    }
    const container = { ...plan.container, ...opened?.joins };
    const command = context.engine.clientCommand(container, readValues(context.env, plan, repo));
    const client = await startClient({
      file: command.file,
      args: command.args,
      env: command.env,
      cwd: track.clientDir,
      logPath: track.logPath,
      exitPath: track.exitPath,
    });
    const { pid, bootId, startTicks, ended } = client;
    const watched = { identity: { pid, bootId, startTicks }, ended };
    return new Supervision(context, track, { watched, route: opened?.route ?? null, remainingMs: track.timeCapMs });
  } catch (error) {
    await undo(track.clientDir, routing);
    throw error;
  }
}

/** The route that the plan asks for; null under open egress. Fails closed: without a route nothing is started. */
async function openRoute(
  context: StartContext,
  { network, container, track }: LaunchPlan,
): Promise<OpenedRoute | null> {
  if (network === null) return null;
  const { itemId, sessionId } = track;
  const { engine, facts } = context;
  const { user, userNamespace, selinux } = container;
  return context.routes.open({ ...network, engine, facts, user: { user, userNamespace }, selinux, itemId, sessionId });
}

/** Takes back what was made for a launch that is not started. */
async function undo(clientDir: string, routing: Promise<OpenedRoute | null>): Promise<void> {
  rmSync(clientDir, { recursive: true, force: true });
  const opened = await routing.catch(() => null);
  await opened?.route.close();
  opened?.route.release();
}

async function verifyOnce(context: StartContext, plan: LaunchPlan, hooks: StartHooks): Promise<void> {
  const key = `${plan.track.itemId}\0${plan.container.image}`;
  if (context.verified.has(key)) return;
  if (plan.container.userNamespace === 'keep-id')
    hooks.onProgress?.('preparing the image for your user (rootless Podman copies it once; this can take minutes)');
  await verifyMounts(context.engine, plan);
  context.verified.add(key);
}

/** The values of bare names, read at the moment of use and given to the client alone. */
function readValues(env: EnvReader, plan: LaunchPlan, repo: ResolvedRepo): Readonly<Record<string, string>> {
  const names = plan.secretNames.map((secret) => secret.name);
  return revealForwarded(readForwarded(names, { launchEnv: {}, repoEnv: repo.env, env }));
}

function ownerOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.uid ?? null;
}
