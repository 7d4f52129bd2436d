import type { ResolvedRepo } from '../config/index.ts';
import type { DoctorRowName } from '../launch/index.ts';
import { checkCa } from './checks/ca.ts';
import { checkConfig } from './checks/config.ts';
import { checkDaemon } from './checks/daemon.ts';
import { checkDisk } from './checks/disk.ts';
import { checkEgress } from './checks/egress.ts';
import { checkEngine } from './checks/engine.ts';
import { checkHome } from './checks/home.ts';
import { checkKeys } from './checks/keys.ts';
import { checkProxy } from './checks/proxy.ts';
import { checkRepository } from './checks/repo.ts';
import { checkSandbox } from './checks/sandbox.ts';
import { checkSetup } from './checks/setup.ts';
import { checkTests } from './checks/tests.ts';
import { checkWorktrees } from './checks/worktrees.ts';
import { openContext, type DoctorContext } from './context.ts';
import { attempt, fail, ok, skipped, toRow, type Finding } from './finding.ts';
import type { DoctorOptions } from './options.ts';
import type { DoctorReport, DoctorRow } from './report.ts';

/**
 * Looks at the host and at every connected repository by the code of a launch. Never throws, fetches nothing,
 * and changes nothing but what Kraft keeps for itself.
 */
export interface Doctor {
  /** Asks everything anew, each question once however many repositories share it. */
  run(): Promise<DoctorReport>;
  /** One row anew: what a launch that failed is about (PF-D02). Null when the path is no connected repository. */
  look(row: DoctorRowName, repoPath: string): Promise<DoctorRow | null>;
}

type HostCheck = (context: DoctorContext) => Promise<readonly Finding[]> | readonly Finding[];
type RepositoryCheck = (context: DoctorContext, repo: ResolvedRepo) => Promise<readonly Finding[]> | readonly Finding[];

/** In the order in which the rows are shown. */
const hostChecks: readonly (readonly [string, HostCheck])[] = [
  ['home', checkHome],
  ['daemon', checkDaemon],
  ['config', checkConfig],
  ['engine', checkEngine],
  ['disk', checkDisk],
  ['worktrees', checkWorktrees],
];
const repositoryChecks: readonly (readonly [string, RepositoryCheck])[] = [
  ['repo', checkRepository],
  ['setup', checkSetup],
  ['tests', checkTests],
  ['keys', checkKeys],
  ['sandbox', checkSandbox],
  ['egress', checkEgress],
  ['ca', checkCa],
  ['proxy', checkProxy],
];

const repositoriesPerProcessor = 2;

export function createDoctor(options: DoctorOptions): Doctor {
  return {
    async run() {
      const context = await openContext(options);
      const host = await Promise.all(hostChecks.map(([name, check]) => rowOf(name, () => check(context))));
      const rows = [...host, ...(await repositoryRows(context))];
      return { ok: rows.every((row) => row.outcome !== 'fail'), rows };
    },
    async look(name, repoPath) {
      const context = await openContext(options);
      const [, hostCheck] = hostChecks.find(([known]) => known === name) ?? [];
      if (hostCheck !== undefined) return rowOf(name, () => hostCheck(context));
      const [, check] = repositoryChecks.find(([known]) => known === name) ?? [];
      const repo = context.repos.ok ? context.repos.value.repos.find(({ path }) => path === repoPath) : undefined;
      if (check === undefined || repo === undefined) return null;
      return rowOf(`${name} ${repo.label}`, () => check(context, repo));
    },
  };
}

async function repositoryRows(context: DoctorContext): Promise<readonly DoctorRow[]> {
  if (!context.repos.ok) return [toRow('repos', [skipped('Not looked at.', 'Needs a repos.yaml that loads.')])];
  const { repos } = context.repos.value;
  if (repos.length === 0)
    return [toRow('repos', [ok('none connected; `kraft repo connect` in a repository connects it.')])];
  // Each repository keeps a few processes of git busy; more of them at once only make every one of them slow.
  const atOnce = context.options.host.processors * repositoriesPerProcessor;
  return (await mapBounded(repos, atOnce, (repo) => rowsOf(context, repo))).flat();
}

/** Results in the order of `all`, with at most `atOnce` steps under way. */
async function mapBounded<T, R>(
  all: readonly T[],
  atOnce: number,
  step: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, one] of left) results[at] = await step(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function rowsOf(context: DoctorContext, repo: ResolvedRepo): Promise<readonly DoctorRow[]> {
  if (!repo.enabled)
    return [toRow(`repo ${repo.label}`, [skipped('Disabled.', 'Needs `enabled: true` in repos.yaml.')])];
  return Promise.all(
    repositoryChecks.map(([name, check]) => rowOf(`${name} ${repo.label}`, () => check(context, repo))),
  );
}

/** A check that breaks is a row that fails: the others still say what they have to say. */
async function rowOf(name: string, check: () => ReturnType<HostCheck>): Promise<DoctorRow> {
  const findings = await attempt(async () => await check());
  return toRow(name, findings.ok ? findings.value : [fail(findings.error)]);
}
