import { statfs } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { type KraftError, gatherErrors } from '../base/index.ts';
import type { HomePaths, PolicySettings, ResolvedRepo, SandboxSettings } from '../config/index.ts';
import { type EnvReader, type ExtraCa, findNamedCaFiles, loadExtraCa, saveCaBundle } from '../credentials/index.ts';
import { planLimits } from '../limits/index.ts';
import {
  type ContainerLimits,
  type ContainerSpec,
  type Engine,
  type EngineProbe,
  type ImageFacts,
  type ImageInfo,
  type KnownEngineFacts,
  type UserPlan,
  containerPaths,
  decideSelinux,
  planPasswd,
  planUser,
  probeSelinuxEnforcing,
} from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import type { DockerSandbox } from './launch.ts';
import { loadImageFacts } from './load-image-facts.ts';
import { planCaBundle } from './plan-ca.ts';
import { saveFile } from './save-file.ts';

/** Bound of pulling an image; it is done before a worktree is made, outside of any task's time. */
export const pullTimeoutMs = 30 * 60_000;

/** Where and with what one looks. */
export interface MachineView {
  readonly engine: Engine;
  readonly probe: EngineProbe;
  readonly paths: HomePaths;
  readonly env: EnvReader;
  readonly sandboxSettings: SandboxSettings;
  readonly policy: PolicySettings;
  /** Who Kraft runs as. */
  readonly uid: number;
  readonly gid: number;
}

/** What a launch of one repository runs on: everything has been found usable. */
export interface Machine {
  readonly facts: KnownEngineFacts;
  readonly image: ImageInfo;
  readonly imageFacts: ImageFacts;
  readonly pulled: boolean;
  readonly user: UserPlan;
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
  readonly passwd: string | null;
  readonly group: string | null;
  readonly caBundle: string | null;
  readonly warnings: readonly string[];
}

/** What to do about an image that is not here. */
export type ImageAbsence =
  { readonly pull: true; readonly onProgress: ((line: string) => void) | null } | { readonly pull: false };

/**
 * Everything that can refuse a launch, in one pass: the engine first, then all other findings together (PF-U10).
 * Errors: ENGINE_*, FEATURE_NOT_BUILT, DISK_FLOOR, SELINUX_CHOICE_NEEDED, LIMIT_*, CA_*, IMAGE_*.
 */
export async function probeMachine(
  view: MachineView,
  subject: { readonly repo: ResolvedRepo; readonly sandbox: DockerSandbox },
  absence: ImageAbsence,
): Promise<Machine> {
  const problems: KraftError[] = [...refuseUnbuilt(subject.sandbox)];
  const facts = await view.probe.probeForLaunch();
  const floor = await checkDiskFloor(view.paths.run, view.policy.diskFloorBytes);
  const selinux = decideSelinux({
    enforcing: probeSelinuxEnforcing(),
    appliesLabels: facts.appliesSelinuxLabels,
    setting: view.sandboxSettings.selinux,
  });
  const limits = planLimits(subject.sandbox.resources, facts);
  const extra = loadExtraCa(view.sandboxSettings.caBundle, view.env);
  for (const problem of [floor, selinux.refusal, limits.refusal, extra.refusal])
    if (problem !== null) problems.push(problem);
  const { reference, ...found } = await findImage(
    view.engine,
    subject.sandbox.image,
    problems.length === 0 ? absence : { pull: false },
  );
  if (found.image === null)
    problems.push(launchErrors.create('IMAGE_MISSING', { image: reference, cli: view.engine.kind }));
  const [first, ...rest] = problems;
  if (first !== undefined || found.image === null) throw gatherErrors([first as KraftError, ...rest]);

  const user = planUser(facts, view.uid, view.gid);
  const inImage = { ...view, reference, image: found.image, limits: limits.limits, selinux: selinux.mode };
  const { imageFacts, caBundle } = await prepareCa(inImage, subject.repo, extra);
  return {
    facts,
    image: found.image,
    imageFacts,
    pulled: found.pulled,
    user,
    limits: limits.limits,
    selinux: selinux.mode,
    ...savePasswd(view.paths.run, { image: found.image, imageFacts, user }),
    caBundle,
    warnings: listWarnings({ extra, imageFacts, pids: limits.limits.pids, reference }),
  };
}

/** What the sandbox asks for and this version does not enforce: stops the item, naming it. */
export function refuseUnbuilt(sandbox: DockerSandbox): readonly KraftError[] {
  return [...(sandbox.credentials.length === 0 ? [] : ['`credentials`'])].map((what) =>
    launchErrors.create('FEATURE_NOT_BUILT', { what }),
  );
}

/** Free space where Kraft writes against the floor of policy.yaml; null when there is enough. Errors: none thrown. */
export async function checkDiskFloor(path: string, floorBytes: number): Promise<KraftError | null> {
  const found = await statfs(path).catch(() => null);
  if (found === null) return null;
  const freeBytes = found.bavail * found.bsize;
  return freeBytes >= floorBytes ? null : launchErrors.create('DISK_FLOOR', { path, freeBytes, floorBytes });
}

async function findImage(
  engine: Engine,
  reference: string,
  absence: ImageAbsence,
): Promise<{ readonly reference: string; readonly image: ImageInfo | null; readonly pulled: boolean }> {
  const image = await engine.inspectImage(reference);
  if (image !== null || !absence.pull) return { reference, image, pulled: false };
  absence.onProgress?.(`pulling the image ${reference}`);
  await engine.pullImage(reference, { timeoutMs: pullTimeoutMs, onProgress: absence.onProgress });
  return { reference, image: await engine.inspectImage(reference), pulled: true };
}

interface InImage extends MachineView {
  readonly reference: string;
  readonly image: ImageInfo;
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
}

/** Reads the image and writes its bundle; without an extra CA there is neither bundle nor variable (SI-9.4 D1). */
async function prepareCa(
  at: InImage,
  repo: ResolvedRepo,
  extra: ExtraCa,
): Promise<{ readonly imageFacts: ImageFacts; readonly caBundle: string | null }> {
  const named = extra.certificates.length === 0 ? [] : findNamedCaFiles(repo.env, at.image.env);
  const namedFiles = named.map((file) => file.path).filter((path) => isAbsolute(path));
  const { engine, reference, image, limits, selinux } = at;
  const { home, run } = at.paths;
  const imageFacts = await loadImageFacts({ engine, reference, image, home, run, limits, selinux, namedFiles });
  if (extra.certificates.length === 0) return { imageFacts, caBundle: null };
  const plan = planCaBundle({ reference, imageId: image.id, facts: imageFacts, named, extra: extra.certificates });
  if (plan.refusal !== null) throw plan.refusal;
  return { imageFacts, caBundle: saveCaBundle(join(run, 'sandbox-ca'), plan.name, plan.content) };
}

/** Writes the files that give the container's user a name, where the image has none (PF-U05, U06). */
function savePasswd(
  run: string,
  at: { readonly image: ImageInfo; readonly imageFacts: ImageFacts; readonly user: UserPlan },
): { readonly passwd: string | null; readonly group: string | null } {
  const { uid, gid } = at.user;
  const { passwd, group } = at.imageFacts;
  const plan = planPasswd({ passwd, group, uid, gid, home: containerPaths.home });
  const save = (name: string, content: string | null): string | null =>
    content === null
      ? null
      : saveFile(join(run, 'sandbox-image', `${at.image.id}-${uid}-${gid}.${name}`), content, 0o644);
  return { passwd: save('passwd', plan.passwd), group: save('group', plan.group) };
}

function listWarnings(at: {
  readonly extra: ExtraCa;
  readonly imageFacts: ImageFacts;
  readonly pids: number | null;
  readonly reference: string;
}): readonly string[] {
  const { ignored } = at.extra;
  return [
    ...(ignored === null ? [] : [`SSL_CERT_FILE ${ignored.path} is not passed on: ${ignored.why}`]),
    ...(at.imageFacts.roots.trim() === '' ? [`the image ${at.reference} has no CA certificates`] : []),
    ...(at.pids === null ? ['the engine cannot limit processes here: the default limit is left out'] : []),
  ];
}
