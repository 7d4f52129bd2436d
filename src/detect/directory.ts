import { justRecipes, makeTargets, miseTasks, taskfileTasks } from './tasks.ts';
import { detectToolchains, type Stop } from './toolchains.ts';

/** A command that a repository's own files propose. */
export interface Candidate {
  /** For tests it runs without a shell, from the root; for setup with `sh -c`, from the root. */
  readonly command: string;
  /** Path of the file it came from, inside the repository. */
  readonly marker: string;
  /** Why that file proposes it, in a few words. */
  readonly reason: string;
}

/** One directory of a repository: the names in it, and its files by name. */
export interface Directory {
  /** `''` for the root, else a path without a trailing slash. */
  readonly path: string;
  readonly names: ReadonlySet<string>;
  /** Text of a file of this directory (`bin/setup` counts); null when there is none or it is too large. */
  read(name: string): Promise<string | null>;
}

export interface DirectoryProposal {
  /** Best first. */
  readonly setup: readonly Candidate[];
  readonly test: readonly Candidate[];
  /** Whether the first test candidate is a task that the repository names itself. */
  readonly hasTestTask: boolean;
  /** Toolchains that propose nothing, and why. */
  readonly stops: readonly Stop[];
  /** Toolchain families that take members from directories below. */
  readonly workspaceFamilies: readonly string[];
  /** Toolchain families found here. */
  readonly families: readonly string[];
}

const testNames = ['test', 'tests', 'check'];
const setupNames = ['setup', 'bootstrap', 'deps'];

const runners: readonly {
  readonly files: readonly string[];
  readonly tasks: (text: string) => readonly string[];
  readonly command: string;
  readonly word: string;
}[] = [
  { files: ['justfile', 'Justfile', '.justfile'], tasks: justRecipes, command: 'just', word: 'recipe' },
  { files: ['Makefile', 'GNUmakefile', 'makefile'], tasks: makeTargets, command: 'make', word: 'target' },
  {
    files: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
    tasks: taskfileTasks,
    command: 'task',
    word: 'task',
  },
  { files: ['mise.toml', '.mise.toml'], tasks: miseTasks, command: 'mise run', word: 'task' },
];

const scripts = {
  test: ['script/test', 'bin/test'],
  setup: ['script/setup', 'script/bootstrap', 'bin/setup'],
} as const;

/** What one directory proposes: tasks that the repository names itself before what its toolchains imply (CC 5.3, 5.4). */
export async function detectDirectory(directory: Directory): Promise<DirectoryProposal> {
  const tasks = await detectTasks(directory);
  const toolchains = await detectToolchains(directory);
  return {
    setup: [...tasks.setup, ...combined(toolchains.setup, (all) => all.join(' && '))],
    test: [...tasks.test, ...combined(toolchains.test, (all) => `sh -c '${all.join(' && ')}'`)],
    hasTestTask: tasks.test.length > 0,
    stops: toolchains.stops,
    workspaceFamilies: toolchains.workspaceFamilies,
    families: toolchains.families,
  };
}

/** Several toolchains in one directory: all of them first, then each alone. */
function combined(found: readonly Candidate[], join: (commands: readonly string[]) => string): readonly Candidate[] {
  if (found.length < 2) return found;
  const all = {
    command: join(found.map((c) => c.command)),
    marker: found.map((c) => c.marker).join(', '),
    reason: 'each toolchain of the directory',
  };
  return [all, ...found];
}

async function detectTasks(directory: Directory): Promise<{ readonly setup: Candidate[]; readonly test: Candidate[] }> {
  const found = { setup: [] as Candidate[], test: [] as Candidate[] };
  for (const runner of runners) {
    for (const file of runner.files) {
      if (!directory.names.has(file)) continue;
      const declared = new Set(runner.tasks((await directory.read(file)) ?? ''));
      const pick = (names: readonly string[]): Candidate[] =>
        names
          .filter((name) => declared.has(name))
          .slice(0, 1)
          .map((name) => ({
            command: `${runner.command} ${name}`,
            marker: at(directory, file),
            reason: `its ${runner.word} \`${name}\``,
          }));
      found.test.push(...pick(testNames));
      found.setup.push(...pick(setupNames));
    }
  }
  found.test.push(...scriptCandidates(directory, scripts.test));
  found.setup.push(...scriptCandidates(directory, scripts.setup));
  return found;
}

function scriptCandidates(directory: Directory, paths: readonly string[]): readonly Candidate[] {
  const present = paths.filter((path) => directory.names.has(path));
  return present.map((path) => ({ command: path, marker: at(directory, path), reason: 'a script for it' }));
}

function at(directory: Directory, name: string): string {
  return directory.path === '' ? name : `${directory.path}/${name}`;
}
