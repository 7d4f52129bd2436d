import { join } from 'node:path';
import { hasCode, renderSize } from '../../base/index.ts';
import type { ResolvedRepo } from '../../config/index.ts';
import type { DoctorContext } from '../context.ts';
import { doctorErrors } from '../errors.ts';
import { attempt, fail, ok, warn, type Finding } from '../finding.ts';
import { renderMode } from './home.ts';

/** Every file of the configuration, each fault of each; then what is in force (PF-F04) and what it asks of the machine. */
export async function checkConfig(context: DoctorContext): Promise<readonly Finding[]> {
  const { repos, settings, policy, options } = context;
  const others = await attempt(() => options.config.others());
  const broken = [repos, settings, policy, others].flatMap((part) => (part.ok ? [] : [part.error]));
  // `repos.yaml` does not load under a broken `policy.yaml`, so the same problem may come twice; a row tells it once.
  const findings: Finding[] = broken.map(fail);
  if (repos.ok && policy.ok) {
    findings.push(
      ok(
        `repositories: ${repos.value.repos.length}; max_concurrent ${policy.value.maxConcurrent}; disk floor ${renderSize(policy.value.diskFloorBytes)}.`,
      ),
    );
    findings.push(ok(await describeSources(context)));
    findings.push(...overcommitted(context, repos.value.repos, policy.value.maxConcurrent));
  }
  if (repos.ok) {
    // A key that nothing reads is told by the row of its repository.
    findings.push(...repos.value.warnings.filter((w) => !hasCode(w, 'CONFIG_UNREAD_KEY')).map(warn));
    const readable = await attempt(() => options.config.readableEnv());
    if (readable.ok && readable.value !== null) {
      const { path, mode, repos: labels } = readable.value;
      findings.push(warn(doctorErrors.create('REPOS_FILE_READABLE', { path, mode: renderMode(mode), repos: labels })));
    }
  }
  return findings;
}

/** Which files speak: a misspelt name of a file is one that is not there (PF-F04). */
async function describeSources({ options }: DoctorContext): Promise<string> {
  const names = ['repos.yaml', 'sandbox.yaml', 'policy.yaml', 'harnesses.yaml'];
  const found = await Promise.all(names.map((name) => options.host.ownership(join(options.paths.config, name))));
  const read = names.filter((_name, at) => found[at] !== null);
  const absent = names.filter((_name, at) => found[at] === null);
  const defaults =
    absent.length === 0 ? '' : `; not in ${options.paths.config}, so defaults hold: ${absent.join(', ')}`;
  return `read: ${read.length === 0 ? 'nothing' : read.join(', ')}${defaults}.`;
}

/** The one repository whose sessions, all at once, would want the most memory; said when the machine has less. */
function overcommitted(
  { options }: DoctorContext,
  repos: readonly ResolvedRepo[],
  maxConcurrent: number,
): readonly Finding[] {
  const totalBytes = options.host.totalMemoryBytes();
  const wants = repos.flatMap((repo) =>
    repo.enabled && repo.sandbox?.kind === 'docker' && repo.sandbox.resources.memoryBytes !== null
      ? [{ repo: repo.label, memoryBytes: repo.sandbox.resources.memoryBytes }]
      : [],
  );
  const [most] = wants.sort((a, b) => b.memoryBytes - a.memoryBytes);
  if (most === undefined || most.memoryBytes * maxConcurrent <= totalBytes) return [];
  return [warn(doctorErrors.create('MEMORY_OVERCOMMITTED', { ...most, maxConcurrent, totalBytes }))];
}
