import { randomHex16, safeLine } from '../base/index.ts';
import { readForwarded, revealForwarded } from '../credentials/index.ts';
import {
  type ContainerSpec,
  type ThrowawayResult,
  containerPaths,
  imageFactsTimeoutMs,
  parseProgramProbe,
  planProgramProbe,
} from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import type { PreflightRequest, ProgramNeed } from './launch.ts';
import { refuseLimitKill } from './limit-kill.ts';
import type { Machine, MachineView } from './probe-machine.ts';

/** Bound of one `--version`. */
const startTimeoutMs = 120_000;

/** Programs that an image was seen to have, for this process; what is missing is asked anew, so mending needs no restart. */
export type ProgramHits = Set<string>;

/**
 * Runs every program that is needed inside the image (PF-D09, K11). Answers warnings for what could not be found out.
 * Errors: PROGRAMS_MISSING naming each, PROGRAM_BROKEN, MEMORY_LIMIT_REACHED.
 */
export async function probePrograms(
  view: MachineView,
  machine: Machine,
  request: PreflightRequest,
  hits: ProgramHits,
): Promise<readonly string[]> {
  const { image } = request.sandbox;
  const key = (need: ProgramNeed): string => `${machine.image.id}\0${need.program}\0${JSON.stringify(need.startsWith)}`;
  const open = request.programs.filter((need) => !hits.has(key(need)));
  if (open.length === 0) return [];
  const marker = randomHex16();
  const programs = open.map((need) => need.program);
  const spec = planProgramProbe({
    image,
    home: view.paths.home,
    marker,
    limits: machine.limits,
    selinux: machine.selinux,
    programs,
    envNames: Object.keys(request.repo.env),
  });
  const env = repositoryValues(view, request);
  const result = await view.engine.runThrowaway(spec, { env, timeoutMs: imageFactsTimeoutMs, input: null });
  refuseLimitKill(result, machine.limits);
  const answer = parseProgramProbe(result, { programs, marker });
  if (answer.kind === 'inconclusive')
    return [`whether the image ${image} has its programs could not be asked: ${answer.why}`];
  const missing = open.filter((need) => answer.missing.includes(need.program));
  if (missing.length > 0) throw launchErrors.create('PROGRAMS_MISSING', { image, missing });
  const warnings: string[] = [];
  for (const need of open) {
    const warning = need.startsWith === null ? null : await startProgram({ view, machine, request, env, spec }, need);
    if (warning === null) hits.add(key(need));
    else warnings.push(warning);
  }
  return warnings;
}

interface Start {
  readonly view: MachineView;
  readonly machine: Machine;
  readonly request: PreflightRequest;
  readonly env: Readonly<Record<string, string>>;
  readonly spec: ContainerSpec;
}

/** Starts a program as the user that a launch has; being on PATH is no proof that it runs. */
async function startProgram(start: Start, need: ProgramNeed): Promise<string | null> {
  const { machine, view } = start;
  const names = [
    ...(machine.passwd === null ? [] : [{ source: machine.passwd, target: '/etc/passwd', readOnly: true }]),
    ...(machine.group === null ? [] : [{ source: machine.group, target: '/etc/group', readOnly: true }]),
  ];
  const spec: ContainerSpec = {
    ...start.spec,
    command: ['sh', '-c', '"$@"', 'sh', need.program, ...(need.startsWith ?? [])],
    user: machine.user.user,
    userNamespace: machine.user.userNamespace,
    mounts: names,
    tmpfs: { [containerPaths.oneshotHome]: 'mode=1777' },
    envLiterals: { HOME: containerPaths.oneshotHome },
    init: true,
  };
  const result = await view.engine.runThrowaway(spec, { env: start.env, timeoutMs: startTimeoutMs, input: null });
  if (result.exitCode === 0) return null;
  refuseLimitKill(result, machine.limits);
  if (result.timedOut || result.exitCode === null) return `${need.program} gave no answer to --version in the image`;
  throw launchErrors.create('PROGRAM_BROKEN', {
    image: start.request.sandbox.image,
    program: need.program,
    neededBy: need.neededBy,
    why: lastWords(result),
    cli: view.engine.kind,
  });
}

function lastWords(result: ThrowawayResult): string {
  const said = `${result.stdout}\n${result.stderr}`.trim().split('\n').at(-1) ?? '';
  return `it ended with code ${result.exitCode ?? 'none'}${said === '' ? '' : ` (${safeLine(said).slice(0, 300)})`}`;
}

function repositoryValues(view: MachineView, request: PreflightRequest): Record<string, string> {
  const names = Object.keys(request.repo.env);
  return revealForwarded(readForwarded(names, { launchEnv: {}, repoEnv: request.repo.env, env: view.env }));
}
