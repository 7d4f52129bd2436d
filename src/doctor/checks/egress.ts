import type { NetworkPhase, Phase, ResolvedRepo } from '../../config/index.ts';
import { findDeadEntries, findDeniedHosts, findLeftOutApexes } from '../../egress/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, ok, skipped, warn, type Finding } from '../finding.ts';

/** What the repository's containers can reach, and entries of its lists that do not do what they look like. */
export async function checkEgress(context: DoctorContext, repo: ResolvedRepo): Promise<readonly Finding[]> {
  if (repo.sandbox?.kind !== 'docker') return [skipped('No container to speak of.', 'Needs a sandbox of kind docker.')];
  const { network } = repo.sandbox;
  if (network === null) return [warn(doctorErrors.create('EGRESS_OPEN', { line: repo.line }))];
  const { install, runtime } = network;
  return [
    ...checkLists('install', install),
    ...checkLists('runtime', runtime),
    ...(await checkHarnesses(context, repo, network)),
    ok(`only listed hosts: ${describe('install', install)}; ${describe('runtime', runtime)}.`),
  ];
}

function describe(name: string, { allow, deny }: NetworkPhase): string {
  const anyPort = allow.filter((entry) => !entry.includes(':')).length;
  const ports = anyPort === 0 ? '' : ` (${anyPort} on every port)`;
  return `${name} ${allow.length} allowed${ports}, ${deny.length} denied`;
}

function checkLists(phase: Phase, lists: NetworkPhase): readonly Finding[] {
  const dead = findDeadEntries(lists);
  return [
    ...dead.map(({ entry, why }) => warn(doctorErrors.create('EGRESS_ENTRY_DEAD', { phase, entry, why }))),
    ...findLeftOutApexes(lists).map((left) => warn(doctorErrors.create('EGRESS_APEX_LEFT_OUT', { phase, ...left }))),
  ];
}

/** A host that an agent cannot do without, and a deny list takes from it (PF-E15). */
async function checkHarnesses(
  { options }: DoctorContext,
  repo: ResolvedRepo,
  network: Readonly<Record<Phase, NetworkPhase>>,
): Promise<readonly Finding[]> {
  // What does not load is told by the rows of the configuration and of the sandbox.
  const harnesses = await attempt(() => options.steps.harnesses(repo));
  if (!harnesses.ok) return [];
  return harnesses.value.flatMap(({ id, networkRequires }) =>
    findDeniedHosts(network, networkRequires).map((denied) =>
      warn(doctorErrors.create('EGRESS_HARNESS_HOST_DENIED', { harness: id, ...denied })),
    ),
  );
}
