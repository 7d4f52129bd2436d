import type { ResolvedRepo } from '../config/index.ts';

/** One test command to run. */
export interface SelectedScope {
  /** `test_scopes` of the repository, or of one of its areas. */
  readonly area: string | null;
  readonly paths: readonly string[];
  readonly command: string;
}

/** What verification has to do (CC 6.5). */
export type ScopeSelection =
  /** `test_command: ""`: nothing is run, on purpose. */
  | { readonly kind: 'none' }
  | { readonly kind: 'undeclared' }
  /** Nothing differs from the base commit, so there is nothing to test. */
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'scopes';
      readonly scopes: readonly SelectedScope[];
      /** Setup commands of areas, each to be run once before the area's first scope. */
      readonly areaSetups: Readonly<Record<string, string>>;
      /** A changed path that no scope covers, which is why all of them are run; null when each was covered. */
      readonly uncovered: string | null;
    };

/** Which test commands the changed paths call for. A path that no scope covers calls for all of them. Pure. */
export function selectScopes(
  repo: Pick<ResolvedRepo, 'tests' | 'areas'>,
  changedPaths: readonly string[],
): ScopeSelection {
  const candidates = listCandidates(repo);
  if (candidates.length === 0) return { kind: repo.tests.kind === 'none' ? 'none' : 'undeclared' };
  if (changedPaths.length === 0) return { kind: 'unchanged' };
  const matchers = candidates.map((scope) => ({ scope, matches: scope.paths.map(globToRegExp) }));
  const covers = (matches: readonly RegExp[], path: string): boolean => matches.some((glob) => glob.test(path));
  const uncovered = changedPaths.find((path) => !matchers.some(({ matches }) => covers(matches, path))) ?? null;
  const scopes = matchers
    .filter(({ matches }) => uncovered !== null || changedPaths.some((path) => covers(matches, path)))
    .map(({ scope }) => scope);
  const setups = scopes.flatMap(({ area }) => {
    const setup = area === null ? null : (repo.areas[area]?.setup ?? null);
    return area === null || setup === null || setup === '' ? [] : [[area, setup] as const];
  });
  return { kind: 'scopes', scopes, areaSetups: Object.fromEntries(setups), uncovered };
}

/** Every declared scope with a command, the repository's own first. */
export function listCandidates(repo: Pick<ResolvedRepo, 'tests' | 'areas'>): readonly SelectedScope[] {
  const own = repo.tests.kind === 'scopes' ? repo.tests.scopes.map((scope) => ({ ...scope, area: null })) : [];
  const areas = Object.entries(repo.areas).flatMap(([area, { scopes }]) => scopes.map((scope) => ({ ...scope, area })));
  return [...own, ...areas].filter((scope) => scope.command.trim() !== '');
}

/**
 * A glob over repository paths: `**` goes through folders, `*` and `?` stay inside one, `[…]` and `{a,b}` as usual; a
 * trailing `/` means the whole folder. Names that begin with a dot are names like any other.
 */
export function globToRegExp(glob: string): RegExp {
  const text = glob.replace(/^\.?\//, '').replace(/\/$/, '/**');
  return new RegExp(`^${renderGlob(text)}$`, 's');
}

const globToken = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|\{[^{}]*\}|[\s\S]/gu;
const fixedTokens: Readonly<Record<string, string>> = { '**/': '(?:[^/]+/)*', '**': '.*', '*': '[^/]*', '?': '[^/]' };

function renderGlob(text: string): string {
  return text.replace(globToken, (token) => {
    const fixed = fixedTokens[token];
    if (fixed !== undefined) return fixed;
    if (token.length > 1 && token.startsWith('[')) {
      return `[${token.slice(1, -1).replace(/^!/, '^').replace(/[\\[]/g, '\\$&')}]`;
    }
    if (token.length > 1 && token.startsWith('{'))
      return `(?:${token.slice(1, -1).split(',').map(renderGlob).join('|')})`;
    return token.replace(/[.*+?^${}()|[\]\\]/, '\\$&');
  });
}
