import type { TestScope } from '../config/index.ts';
import { detectDirectory, type Candidate, type Directory, type DirectoryProposal } from './directory.ts';
import type { Stop } from './toolchains.ts';

/** What is looked at: the paths of one commit, and a reader that answers null for what is missing or too large. */
export interface RepositoryFiles {
  /** Paths from the root, files only. */
  readonly files: readonly string[];
  /** Bounded by the caller; this code asks for at most `readsMax` files and keeps none. */
  readonly read: (path: string) => Promise<string | null>;
}

export interface Proposal {
  /** Best first; the first is what connect saves. Empty: nothing found. */
  readonly setup: readonly Candidate[];
  readonly test: readonly Candidate[];
  /** Commands by changed paths, when directories below the root have tests of their own; else empty. */
  readonly scopes: readonly TestScope[];
  /** What was found and proposes nothing, and why. */
  readonly stops: readonly Stop[];
}

const depthMax = 2;
const directoriesMax = 40;
const readsMax = 200;
const fileMaxChars = 4 * 1024 * 1024;

// Directories that hold other people's code, build results or material of tests.
const ignored = new Set(
  'node_modules vendor third_party dist build out target coverage fixtures testdata test tests spec examples example docs'.split(
    ' ',
  ),
);

/** Proposes setup and test commands from the names and texts of a repository's files; runs nothing of it. */
export async function proposeCommands(repository: RepositoryFiles): Promise<Proposal> {
  const directories = listDirectories(repository);
  const root = await detectDirectory(directories[0]);
  const nested: Nested[] = [];
  for (const directory of directories.slice(1)) {
    const proposal = await detectDirectory(directory);
    if (isMember(root, proposal)) continue;
    nested.push({ path: directory.path, proposal });
  }
  const below = nested.filter(({ proposal }) => proposal.test.length > 0);
  const nestedTests = below.map(({ path, proposal }) => inDirectory(path, proposal.test[0], 'test'));
  return {
    setup: joinSetup(root, below),
    test: [...root.test, ...nestedTests],
    // A task that the root names is the repository's own word for "test everything".
    scopes: root.hasTestTask || below.length === 0 ? [] : scopesOf({ repository, root, below }),
    stops: [...root.stops, ...nested.flatMap(({ proposal }) => proposal.stops)],
  };
}

interface Nested {
  readonly path: string;
  readonly proposal: DirectoryProposal;
}

/** A directory all of whose toolchains are members of a workspace at the root: the root's commands cover it. */
function isMember(root: DirectoryProposal, { families, hasTestTask }: DirectoryProposal): boolean {
  return !hasTestTask && families.length > 0 && families.every((family) => root.workspaceFamilies.includes(family));
}

function inDirectory(path: string, candidate: Candidate | undefined, kind: 'setup' | 'test'): Candidate {
  const { command, marker, reason } = candidate ?? { command: '', marker: path, reason: '' };
  // A combined command is a shell's already.
  const inner = /^sh -c '(.*)'$/.exec(command)?.[1] ?? command;
  return { command: kind === 'test' ? `sh -c 'cd ${path} && ${inner}'` : `(cd ${path} && ${inner})`, marker, reason };
}

/** The root's setup, then that of each directory with tests, as one command; then what else was found. */
function joinSetup(root: DirectoryProposal, below: readonly Nested[]): readonly Candidate[] {
  const parts = below.flatMap(({ path, proposal }) =>
    proposal.setup.length === 0 ? [] : [inDirectory(path, proposal.setup[0], 'setup')],
  );
  if (parts.length === 0) return root.setup;
  const all = [...root.setup.slice(0, 1), ...parts];
  if (all.length === 1) return [...parts, ...root.setup];
  const joined = {
    command: all.map((c) => c.command).join(' && '),
    marker: all.map((c) => c.marker).join(', '),
    reason: 'each directory with tests',
  };
  return [joined, ...root.setup];
}

function scopesOf(found: {
  readonly repository: RepositoryFiles;
  readonly root: DirectoryProposal;
  readonly below: readonly Nested[];
}): readonly TestScope[] {
  const scopes = found.below.map(({ path, proposal }) => ({
    paths: [`${path}/**`],
    command: inDirectory(path, proposal.test[0], 'test').command,
  }));
  const [best] = found.root.test;
  if (best === undefined) return scopes;
  const taken = new Set(found.below.map(({ path }) => path.split('/')[0]));
  const top = new Set(found.repository.files.map((file) => (file.includes('/') ? `${head(file)}/**` : file)));
  const paths = [...top].filter((entry) => !taken.has(head(entry))).sort();
  return paths.length === 0 ? scopes : [{ paths, command: best.command }, ...scopes];
}

function head(path: string): string {
  return path.split('/')[0] ?? '';
}

/** The root, then each directory down to `depthMax` that may be a project, in order. */
function listDirectories(repository: RepositoryFiles): readonly [Directory, ...Directory[]] {
  const names = new Map<string, Set<string>>([['', new Set()]]);
  for (const file of repository.files) {
    const parts = file.split('/');
    for (let depth = 0; depth <= Math.min(depthMax, parts.length - 1); depth++) {
      const path = parts.slice(0, depth).join('/');
      if (depth > 0 && !isProjectPath(parts.slice(0, depth))) break;
      const set = names.get(path) ?? new Set<string>();
      names.set(path, set.add(parts[depth] ?? '').add(parts.slice(depth, depth + 2).join('/')));
    }
  }
  const budget = { reads: readsMax };
  const directory = ([path, entries]: readonly [string, ReadonlySet<string>]): Directory => ({
    path,
    names: entries,
    async read(name) {
      if (budget.reads-- <= 0) return null;
      const text = await repository.read(path === '' ? name : `${path}/${name}`);
      return text !== null && text.length <= fileMaxChars ? text : null;
    },
  });
  const [root, ...rest] = [...names];
  const nested = rest.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, directoriesMax);
  return [directory(root ?? ['', new Set()]), ...nested.map(directory)];
}

/** No hidden, foreign or generated directory, and no name that a shell would take for something else. */
function isProjectPath(parts: readonly string[]): boolean {
  return parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part) && !ignored.has(part));
}
