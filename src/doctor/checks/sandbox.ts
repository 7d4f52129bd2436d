import { type KraftError, randomHex16 } from '../../base/index.ts';
import type { ResolvedRepo, SandboxSettings } from '../../config/index.ts';
import { loadExtraCa, type ExtraCa } from '../../credentials/index.ts';
import { launchErrors, type DockerSandbox } from '../../launch/index.ts';
import { planLimits } from '../../limits/index.ts';
import {
  decideSelinux,
  planUser,
  type ContainerLimits,
  type ContainerSpec,
  type KnownEngineFacts,
} from '../../runtime/index.ts';
import {
  containerProbeTimeoutMs,
  decideLimitsInForce,
  parseContainerProbe,
  planContainerProbe,
  probeFile,
  readsProxyVariables,
} from '../container-probe.ts';
import type { DoctorContext, LiveEngine } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, fail, ok, skipped, unknown, warn, type Finding } from '../finding.ts';
import { describeEngine } from './engine.ts';

/**
 * Whether an item of this repository could be launched: first what is decided without a container, each by itself so
 * that no fault hides another, then the checks of a launch, then a container that shows what is in force inside.
 */
export async function checkSandbox(context: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  const refusals = await attempt(() => context.options.steps.refusals(repo));
  const told: Finding[] = refusals.ok ? refusals.value.map(fail) : [fail(refusals.error)];
  const { sandbox } = repo;
  if (sandbox?.kind !== 'docker') {
    return told.length > 0 ? told : [skipped('Nothing to check.', 'Needs a sandbox of kind docker.')];
  }
  if (!context.settings.ok) return [...told, fail(context.settings.error)];
  const settings = context.settings.value;
  const extraCa = loadExtraCa(settings.caBundle, context.options.env);
  if (extraCa.refusal !== null) told.push(fail(extraCa.refusal));
  if (!context.engine.ok) return [...told, fail(context.engine.error)];
  const live = context.engine.value;
  if (!live.usable.ok) return [...told, fail(live.usable.error)];
  const ground: Ground = { context, settings, live, facts: live.usable.value, repo, sandbox, extraCa };
  told.push(...(await checkContainer(ground)));
  return withoutRepeats(told);
}

/** What the checks of one sandbox stand on. */
interface Ground {
  readonly context: DoctorContext;
  readonly settings: SandboxSettings;
  readonly live: LiveEngine;
  readonly facts: KnownEngineFacts;
  readonly repo: ResolvedRepo;
  readonly sandbox: DockerSandbox;
  readonly extraCa: ExtraCa;
}

async function checkContainer(ground: Ground): Promise<readonly Finding[]> {
  const { context, settings, live, facts, sandbox } = ground;
  const told: Finding[] = [];
  const { mode, refusal } = decideSelinux({
    enforcing: context.options.host.selinuxEnforcing(),
    appliesLabels: facts.appliesSelinuxLabels,
    setting: settings.selinux,
  });
  if (refusal !== null) told.push(fail(refusal));
  const limits = planLimits(sandbox.resources, facts);
  if (limits.refusal !== null) told.push(fail(limits.refusal));
  const image = await context.inspectImage(live, sandbox.image);
  if (!image.ok) return [...told, fail(image.error)];
  if (image.value === null)
    return [...told, fail(launchErrors.create('IMAGE_MISSING', { image: sandbox.image, cli: live.engine.kind }))];
  // A launch looks for the programs and reads the image itself; it would only repeat what is refused already.
  const launch = await checkLaunch(ground);
  told.push(...launch);
  // What refuses a launch refuses the relay of it too, in the same words.
  if (!launch.some(({ outcome }) => outcome === 'fail')) told.push(...(await checkRoute(ground)));
  if (refusal === null && limits.refusal === null) told.push(...(await checkInside(ground, limits.limits, mode)));
  return [...told, ok(describeGround(ground))];
}

/** The checks of a launch, by its own code. */
async function checkLaunch({ context, repo, sandbox }: Ground): Promise<readonly Finding[]> {
  const { steps } = context.options;
  const programs = await attempt(() => steps.programs(repo));
  if (!programs.ok) return [fail(programs.error)];
  const done = await context.once(`launch ${repo.path}`, () =>
    attempt(() => steps.preflight({ repo, sandbox, programs: programs.value, onProgress: null })),
  );
  if (!done.ok) return [fail(done.error)];
  return done.value.warnings.map((note) => warn(doctorErrors.create('LAUNCH_NOTE', { note })));
}

/** A relay that goes again, and a request through it: the same for every repository with a network policy. */
async function checkRoute({ context, repo, sandbox }: Ground): Promise<readonly Finding[]> {
  if (sandbox.network === null) return [];
  const probe = (): Promise<void> => context.options.steps.probeRoute({ repo, sandbox });
  const done = await context.once('route', () => attempt(probe));
  return done.ok ? [] : [fail(done.error)];
}

/** A container under the limits and the user of a launch, once per image and limits. */
async function checkInside(
  ground: Ground,
  limits: ContainerLimits,
  selinux: ContainerSpec['selinux'],
): Promise<readonly Finding[]> {
  const key = `inside ${ground.sandbox.image} ${JSON.stringify(limits)}`;
  const errors = await ground.context.once(key, () => attempt(() => lookInside(ground, limits, selinux)));
  if (!errors.ok) return [unknown(errors.error)];
  const { without, problems, node } = errors.value;
  if (without !== null) return [unknown(without)];
  const { image, network } = ground.sandbox;
  const remarks =
    network === null || readsProxyVariables(node)
      ? []
      : [warn(doctorErrors.create('NODE_IGNORES_PROXY', { image, version: node.replace('v', '') }))];
  return [...problems.map(fail), ...remarks];
}

async function lookInside(
  { context, live, facts, sandbox, extraCa }: Ground,
  limits: ContainerLimits,
  selinux: ContainerSpec['selinux'],
): Promise<{ readonly without: KraftError | null; readonly problems: readonly KraftError[]; readonly node: string }> {
  const { host, paths } = context.options;
  const { image } = sandbox;
  const directory = await host.makeProbeDir();
  try {
    const marker = randomHex16();
    const { source, certificates } = extraCa;
    // A copy: the engine may label what it mounts, and the person's own file is not to be touched.
    const caFile = source === null ? null : await directory.addFile('ca.pem', certificates.join('\n'));
    const user = planUser(facts, host.uid, host.gid);
    const spec = planContainerProbe({
      home: paths.home,
      image,
      marker,
      user,
      limits,
      selinux,
      directory: directory.path,
      caFile,
    });
    const result = await live.engine.runThrowaway(spec, { env: {}, timeoutMs: containerProbeTimeoutMs, input: null });
    const seen = parseContainerProbe(result, marker);
    if ('why' in seen) {
      const cli = live.engine.kind;
      return {
        without: doctorErrors.create('PROBE_WITHOUT_ANSWER', { image, cli, why: seen.why }),
        problems: [],
        node: 'none',
      };
    }
    const problems = [...decideLimitsInForce(limits, seen)];
    if (source !== null && !seen.readsCa)
      problems.push(doctorErrors.create('CA_NOT_SEEN', { image, file: source.path }));
    const ownerUid = await directory.ownerOf(probeFile);
    if (!seen.wrote || ownerUid === null) problems.push(doctorErrors.create('FILES_NOT_WRITABLE', { image }));
    else if (ownerUid !== host.uid)
      problems.push(doctorErrors.create('FILES_NOT_YOURS', { image, ownerUid, uid: host.uid }));
    return { without: null, problems, node: seen.node };
  } finally {
    await directory.remove();
  }
}

function describeGround({ live, facts, sandbox, extraCa }: Ground): string {
  const ca = extraCa.source === null ? '' : `, extra CA from ${extraCa.source.path}`;
  const route = sandbox.network === null ? '' : ', network by a relay over a unix socket';
  return `image ${sandbox.image}${route}${ca} on ${describeEngine(live.engine.cli, facts)}`;
}

/** The checks of a launch meet the same faults again; each is told once. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.flatMap((finding) => {
    const fresh = finding.errors.filter((error) => !seen.has(error.message));
    for (const error of fresh) seen.add(error.message);
    if (finding.errors.length > 0 && fresh.length === 0) return [];
    return [fresh.length === finding.errors.length ? finding : { ...finding, ...retold(fresh) }];
  });
}

function retold(errors: Finding['errors']): Pick<Finding, 'detail' | 'remedy' | 'errors'> {
  return { detail: errors.map((e) => e.message).join(' '), remedy: errors.map((e) => e.remedy).join(' '), errors };
}
