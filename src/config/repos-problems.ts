import { normalize } from 'node:path';
import { renderPath, type KraftError, type SourceDocument } from '../base/index.ts';
import { configErrors } from './errors.ts';
import { normalizeRepoPath } from './resolve.ts';
import type { PolicyLayers } from './resolve-policy.ts';

type Path = readonly (string | number)[];
type Mapping = Readonly<Record<string, unknown>>;

/**
 * What only several parts of `repos.yaml` together can get wrong: ids and paths that repeat, workspaces that name what
 * is not connected, a policy against `policy.yaml`. Reads the raw data, so that it finds them beside other problems.
 */
export function crossProblems(document: SourceDocument, layers: PolicyLayers): readonly KraftError[] {
  const { repos, workspaces } = document.data as Mapping;
  const entries = (Array.isArray(repos) ? (repos as unknown[]) : []).map(asMapping);
  const report: Report = (path, problem, remedy) =>
    configErrors.create('CONFIG_BAD_VALUE', {
      file: 'repos.yaml',
      line: document.lineOf(path),
      path: renderPath(path),
      problem,
      remedy: remedy ?? null,
    });
  const lineOf = (index: number): number => document.lineOf(['repos', index]);
  return [
    ...repeats(entries, 'id', { report, lineOf, normal: (id) => id }),
    ...repeats(entries, 'path', { report, lineOf, normal: normalizeRepoPath }),
    ...escalations(entries, layers, document),
    ...workspaceProblems(asMapping(workspaces), new Set(entries.map((e) => e['id'])), report),
  ];
}

type Report = (path: Path, problem: string, remedy?: string) => KraftError;

function asMapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}

function repeats(
  entries: readonly Mapping[],
  key: 'id' | 'path',
  by: { report: Report; lineOf: (index: number) => number; normal: (value: string) => string },
): KraftError[] {
  const first = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const value = entry[key];
    if (typeof value !== 'string') return [];
    const seen = first.get(by.normal(value));
    if (seen === undefined) {
      first.set(by.normal(value), index);
      return [];
    }
    const problem = `is ${JSON.stringify(value)}, which the entry on line ${by.lineOf(seen)} has already`;
    return [
      by.report(['repos', index, key], problem, key === 'id' ? 'Give each entry an id of its own.' : 'Keep one entry.'),
    ];
  });
}

function escalations(entries: readonly Mapping[], layers: PolicyLayers, document: SourceDocument): KraftError[] {
  const fixed = layers.maxima?.escalation_harness ?? null;
  return entries.flatMap((entry, index) => {
    const own = asMapping(entry['policy'])['escalation_harness'];
    if (fixed === null || typeof own !== 'string' || own === fixed) return [];
    const path = ['repos', index, 'policy', 'escalation_harness'];
    return [
      configErrors.create('CONFIG_POLICY_CONFLICT', {
        file: 'repos.yaml',
        line: document.lineOf(path),
        path: renderPath(path),
        problem: `differs from the maximum in policy.yaml, which is ${fixed}`,
      }),
    ];
  });
}

function workspaceProblems(workspaces: Mapping, ids: ReadonlySet<unknown>, report: Report): KraftError[] {
  const connected = (path: Path, id: unknown): KraftError[] =>
    typeof id !== 'string' || ids.has(id)
      ? []
      : [report(path, `names ${JSON.stringify(id)}, which is the id of no connected repository`)];
  return Object.entries(workspaces).flatMap(([name, value]) => {
    const workspace = asMapping(value);
    const members = Object.entries(asMapping(workspace['members']));
    return [
      ...connected(['workspaces', name, 'root'], workspace['root']),
      ...members.flatMap(([member, at]) =>
        connected(['workspaces', name, 'members', member, 'repository'], asMapping(at)['repository']),
      ),
      ...overlaps(name, members, report),
    ];
  });
}

function overlaps(workspace: string, members: readonly [string, unknown][], report: Report): KraftError[] {
  const seen: { name: string; path: string }[] = [];
  return members.flatMap(([name, value]) => {
    const written = asMapping(value)['path'];
    if (typeof written !== 'string') return [];
    const path = `${normalizeRepoPath(normalize(written))}/`;
    const other = seen.find((s) => s.path.startsWith(path) || path.startsWith(s.path));
    seen.push({ name, path });
    if (other === undefined) return [];
    return [
      report(
        ['workspaces', workspace, 'members', name, 'path'],
        `lies in or over the path of the member ${other.name}`,
      ),
    ];
  });
}
