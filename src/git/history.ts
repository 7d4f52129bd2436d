import { toTimestamp } from '../base/index.ts';
import { branchRef } from '../refs/index.ts';
import type { Repository } from './git.ts';
import { atGitDir, explainEnd, largeOutputBytes, longTimeoutMs, type GitRunner } from './run-git.ts';
import { gitErrors } from './errors.ts';

const maxCommits = 1_000;
const neverRunsPrograms = ['--no-ext-diff', '--no-textconv', '--no-color'];

/** Files of a commit with their sizes; submodules and what is beyond the bound of output are left out. */
export async function listTree(
  git: GitRunner,
  repository: Repository,
  commit: string,
): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]> {
  const done = await git.result({
    args: ['ls-tree', '-r', '-l', '-z', '--full-tree', commit],
    action: `list the files of ${commit}`,
    place: atGitDir(repository.commonDir),
    timeoutMs: longTimeoutMs,
    outputMaxBytes: largeOutputBytes,
  });
  if (done.exitCode !== 0 && !done.truncated) {
    throw gitErrors.create('GIT_FAILED', { action: `list the files of ${commit}`, why: explainEnd(done) });
  }
  return done.stdout
    .split('\0')
    .slice(0, -1)
    .flatMap((record) => {
      const tab = record.indexOf('\t');
      const [, type, , size] = record.slice(0, tab).split(/ +/u);
      return type === 'blob' ? [{ path: record.slice(tab + 1), sizeBytes: Number(size) }] : [];
    });
}

/** Text of one file of a commit; null when absent, no file, binary or over `maxBytes`. */
export async function readBlob(
  git: GitRunner,
  repository: Repository,
  file: { readonly commit: string; readonly path: string; readonly maxBytes: number },
): Promise<string | null> {
  const done = await git.result({
    args: ['cat-file', 'blob', `${file.commit}:${file.path}`],
    action: `read ${file.path}`,
    place: atGitDir(repository.commonDir),
    outputMaxBytes: file.maxBytes,
  });
  if (done.exitCode !== 0 || done.truncated) return null;
  return /[\0\ufffd]/u.test(done.stdout) ? null : done.stdout;
}

/** Commits of the branch since the base, newest first, at most 1000. */
export async function branchLog(
  git: GitRunner,
  repository: Repository,
  range: { readonly branch: string; readonly baseCommit: string },
): Promise<
  readonly { readonly commit: string; readonly subject: string; readonly author: string; readonly at: string }[]
> {
  const output = await git.text({
    args: [
      ...[
        'log',
        '--no-show-signature',
        '--no-notes',
        '--no-mailmap',
        '--no-decorate',
        '--no-color',
        '--encoding=UTF-8',
      ],
      ...['--format=tformat:%H%x00%at%x00%an%x00%s%x00', `--max-count=${maxCommits}`],
      ...[`${range.baseCommit}..${branchRef(range.branch)}`, '--'],
    ],
    action: `list the commits of ${range.branch}`,
    place: atGitDir(repository.commonDir),
    timeoutMs: longTimeoutMs,
  });
  const fields = output.split('\0');
  const commits = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [commit = '', seconds = '', author = '', subject = ''] = fields.slice(at, at + 4);
    commits.push({ commit: commit.trim(), subject, author, at: timestampOf(Number(seconds)) });
  }
  return commits;
}

// A commit may claim any time; what Date cannot hold becomes the epoch.
function timestampOf(seconds: number): string {
  const ms = seconds * 1000;
  return toTimestamp(Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? ms : 0);
}

const formatArgs = {
  patch: ['--patch', '--src-prefix=a/', '--dst-prefix=b/'],
  stat: ['--stat=120'],
  'name-only': ['--name-only'],
} as const;

/** Diff of the branch against its base, from the repository's objects alone, cut at `maxBytes`. */
export async function branchDiff(
  git: GitRunner,
  repository: Repository,
  diff: {
    readonly branch: string;
    readonly baseCommit: string;
    readonly format: keyof typeof formatArgs;
    readonly ignoreWhitespace: boolean;
    readonly maxBytes: number;
  },
): Promise<{ readonly text: string; readonly truncated: boolean }> {
  const done = await git.result({
    args: [
      ...['diff', ...neverRunsPrograms, '--submodule=short', ...formatArgs[diff.format]],
      ...(diff.ignoreWhitespace ? ['--ignore-all-space'] : []),
      ...[diff.baseCommit, branchRef(diff.branch), '--'],
    ],
    action: `compare ${diff.branch} with its base`,
    place: atGitDir(repository.commonDir),
    timeoutMs: longTimeoutMs,
    outputMaxBytes: diff.maxBytes,
  });
  if (done.exitCode !== 0 && !done.truncated) {
    throw gitErrors.create('GIT_FAILED', { action: `compare ${diff.branch} with its base`, why: explainEnd(done) });
  }
  return { text: done.stdout, truncated: done.truncated };
}
