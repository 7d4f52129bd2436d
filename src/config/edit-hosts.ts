import type { DocumentPath } from '../base/index.ts';
import { configErrors } from './errors.ts';
import { parseHostPattern, type HostPattern } from './host-pattern.ts';
import type { HomePaths, NetworkPhase, Phase, ResolvedRepo } from './resolved.ts';
import { throwIfAny } from './read-document.ts';
import { changeRepos, type Change } from './save.ts';

export interface HostEdit {
  /** Path of a connected repository. */
  readonly repo: string;
  readonly list: 'allow' | 'deny';
  readonly phase: Phase;
  /** As typed. */
  readonly hosts: readonly string[];
}

/** What an edit did to the lists of one phase, entries in their canonical text. */
export interface EditedHosts {
  readonly repo: ResolvedRepo;
  readonly added: readonly string[];
  /** Covered already by an entry that names the same host. */
  readonly present: readonly string[];
  /** Taken off the other list, on which the same entry stood. */
  readonly moved: readonly string[];
  /** Allowed entries that a wider one of the deny list still refuses, with that entry. */
  readonly denied: readonly { readonly host: string; readonly by: string }[];
}

/**
 * Puts hosts on a list of a repository's network policy, and takes the same entries off the other one, so that what was
 * typed last holds. All hosts are checked before anything is written; comments stay; repeating it changes nothing.
 * Errors: HOST_PATTERN_REFUSED (all of them), REPO_ENTRY_UNKNOWN, REPO_SANDBOX_NONE, REPO_SANDBOX_KIT,
 * REPO_EGRESS_OPEN, and those of a save.
 */
export async function editHosts(paths: HomePaths, edit: HostEdit): Promise<EditedHosts> {
  const patterns = parseHosts(edit.hosts);
  const results: Omit<EditedHosts, 'repo'>[] = [];
  const saved = await changeRepos(paths, (change) => {
    const index = change.loaded.repos.findIndex(({ path }) => path === edit.repo);
    const lists = listsOf(change.loaded.repos[index] ?? null, edit);
    const result = applyEdit(change, { edit, lists, patterns, at: pathOf(change, index, edit.phase) });
    results.unshift(result);
    return result.added.length + result.moved.length > 0;
  });
  const [result] = results;
  const repo = saved.repos.find(({ path }) => path === edit.repo);
  if (repo === undefined || result === undefined) throw configErrors.create('REPO_ENTRY_UNKNOWN', { path: edit.repo });
  return { repo, ...result };
}

function parseHosts(hosts: readonly string[]): readonly HostPattern[] {
  const parsed = hosts.map((host) => parseHostPattern(host));
  const refused = parsed.flatMap((each) =>
    each.kind === 'refused' ? [configErrors.create('HOST_PATTERN_REFUSED', each)] : [],
  );
  throwIfAny(refused);
  const patterns = parsed.flatMap((each) => (each.kind === 'pattern' ? [each.pattern] : []));
  return [...new Map(patterns.map((pattern) => [pattern.text, pattern])).values()];
}

/** The lists of the phase; refused where there is no policy, since a first entry would close all that is open now. */
function listsOf(repo: ResolvedRepo | null, { repo: path, phase }: HostEdit): NetworkPhase {
  if (repo === null) throw configErrors.create('REPO_ENTRY_UNKNOWN', { path });
  const { sandbox, line } = repo;
  if (sandbox === null) throw configErrors.create('REPO_SANDBOX_NONE', { path });
  if (sandbox.kind === 'kit') throw configErrors.create('REPO_SANDBOX_KIT', { path });
  if (sandbox.network === null) throw configErrors.create('REPO_EGRESS_OPEN', { path, line });
  return sandbox.network[phase];
}

/** Where the phase stands in the document: a sandbox may be the entry's own or its policy's. */
function pathOf({ document }: Change, index: number, phase: Phase): DocumentPath {
  const { repos } = document.data as { readonly repos: readonly { readonly sandbox?: unknown }[] };
  const own = (repos[index]?.sandbox ?? null) !== null;
  return ['repos', index, ...(own ? [] : ['policy']), 'sandbox', 'network', phase];
}

interface Applied {
  readonly edit: HostEdit;
  readonly lists: NetworkPhase;
  readonly patterns: readonly HostPattern[];
  readonly at: DocumentPath;
}

function applyEdit(change: Change, { edit, lists, patterns, at }: Applied): Omit<EditedHosts, 'repo'> {
  const other = edit.list === 'allow' ? 'deny' : 'allow';
  const texts = new Set(patterns.map(({ text }) => text));
  const present = patterns.filter(({ text, host }) => {
    const named = host.kind === 'exact' ? host.name : text;
    return lists[edit.list].includes(text) || lists[edit.list].includes(named);
  });
  const added = patterns.filter((pattern) => !present.includes(pattern));
  // From the end, so that the positions of those before stay.
  const moved = lists[other].flatMap((text, i) => (texts.has(text) ? [{ text, i }] : []));
  for (const { i } of moved.toReversed()) change.edit.remove([...at, other, i]);
  for (const { text } of added) change.edit.append([...at, edit.list], text);
  const deny = lists.deny.filter((text) => !texts.has(text));
  return {
    added: added.map(({ text }) => text),
    present: present.map(({ text }) => text),
    moved: [...new Set(moved.map(({ text }) => text))],
    denied: edit.list === 'deny' ? [] : patterns.flatMap((pattern) => findWider(pattern, deny)),
  };
}

/** The first entry that covers all of what a pattern covers. */
function findWider(pattern: HostPattern, entries: readonly string[]): EditedHosts['denied'] {
  const by = entries.find((entry) => {
    const parsed = parseHostPattern(entry);
    return parsed.kind === 'pattern' && covers(parsed.pattern, pattern);
  });
  return by === undefined ? [] : [{ host: pattern.text, by }];
}

/** Whether a pattern covers every host and port of another. */
export function covers(wide: HostPattern, narrow: HostPattern): boolean {
  if (wide.port !== null && wide.port !== narrow.port) return false;
  if (wide.host.kind === 'any') return true;
  if (narrow.host.kind === 'any') return false;
  if (wide.host.kind === 'exact') return narrow.host.kind === 'exact' && wide.host.name === narrow.host.name;
  const { suffix } = wide.host;
  return narrow.host.kind === 'one-label'
    ? narrow.host.suffix === suffix
    : narrow.host.name.slice(narrow.host.name.indexOf('.') + 1) === suffix && narrow.host.name !== suffix;
}
