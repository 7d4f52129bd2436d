import { defineErrors } from '../base/index.ts';

interface Path {
  readonly path: string;
}
interface Failure {
  /** What Kraft was doing, as the end of "git could not …". */
  readonly action: string;
  readonly why: string;
}

export const gitErrors = defineErrors({
  GIT_TOO_OLD: {
    kind: 'environment',
    message: (p: { found: string; needed: string }) =>
      `git ${p.found} is too old: Kraft's protection of git calls needs ${p.needed} or later.`,
    remedy: (p: { found: string; needed: string }) => `Install git ${p.needed} or later and start Kraft again.`,
  },
  GIT_FAILED: {
    kind: 'environment',
    message: (p: Failure) => `git could not ${p.action}: ${p.why}.`,
    remedy: () => 'Mend what git names, then try again; `kraft admin doctor` checks the repository.',
  },
  GIT_TIMED_OUT: {
    kind: 'environment',
    message: (p: { action: string; seconds: number }) => `git did not ${p.action} within ${p.seconds} s.`,
    remedy: () => 'Look whether the disk or the network is slow or another git process holds a lock, then try again.',
  },
  REPOSITORY_MISSING: {
    kind: 'config',
    message: (p: Path) => `There is no directory ${p.path}; the repository was moved or removed.`,
    remedy: (p: Path) =>
      `Move it back, or run \`kraft repo disconnect ${p.path}\` and \`kraft repo connect\` at its new place.`,
  },
  NOT_A_REPOSITORY: {
    kind: 'config',
    message: (p: Path & { why: string }) => `${p.path} is no git repository that Kraft can read: ${p.why}.`,
    remedy: () => 'Run `git status` there; once git itself works in that directory, connect it again.',
  },
  REPOSITORY_BARE: {
    kind: 'config',
    message: (p: Path) => `${p.path} is a bare repository, which has no working tree to connect.`,
    remedy: () => 'Connect an ordinary clone of it.',
  },
  REPOSITORY_LINKED_WORKTREE: {
    kind: 'config',
    message: (p: Path & { main: string }) => `${p.path} is a linked worktree of the repository at ${p.main}.`,
    remedy: (p: Path & { main: string }) => `Run \`kraft repo connect ${p.main}\`.`,
  },
  REPOSITORY_SUBMODULE: {
    kind: 'config',
    message: (p: Path) => `${p.path} is a submodule checkout; its git directory belongs to another repository.`,
    remedy: () => 'Connect a clone of its own, outside the repository that contains it.',
  },
  REPOSITORY_EMPTY: {
    kind: 'config',
    message: (p: Path) => `The repository ${p.path} has no commit yet, so there is nothing to start from.`,
    remedy: () => 'Make a first commit, then try again.',
  },
  BRANCH_KRAFT_EXISTS: {
    kind: 'config',
    message: (p: Path) =>
      `The repository ${p.path} has a branch named "kraft", which leaves no room for branches "kraft/…".`,
    remedy: () => 'Rename that branch, for example with `git branch -m kraft kraft-old`.',
  },
  REF_STORAGE_UNSUPPORTED: {
    kind: 'config',
    message: (p: Path & { storage: string }) =>
      `The repository ${p.path} keeps its refs as "${p.storage}"; Kraft can only protect refs kept as files.`,
    remedy: () =>
      'Convert it with `git refs migrate --ref-format=files`, or connect a clone made with `--ref-format=files`.',
  },
  BASE_BRANCH_UNKNOWN: {
    kind: 'config',
    message: (p: { branch: string; where: string; candidates: readonly string[] }) =>
      `There is no branch "${p.branch}" ${p.where}; there ${p.candidates.length === 0 ? 'is no branch at all' : `are: ${p.candidates.join(', ')}`}.`,
    remedy: () => 'Name one of them with `--base-branch`.',
  },
  BASE_UNAVAILABLE: {
    kind: 'environment',
    message: (p: { branch: string; why: string }) =>
      `The base branch "${p.branch}" could not be fetched from origin and was never fetched before: ${p.why}.`,
    remedy: () => 'Run `git fetch origin` in the repository; when that works, retry the item.',
  },
  WORKTREE_EXISTS: {
    kind: 'environment',
    message: (p: Path) => `The place of the worktree is taken: ${p.path} exists.`,
    remedy: (p: Path) => `Look what it holds, and remove or move ${p.path}.`,
  },
  BRANCH_EXISTS: {
    kind: 'environment',
    message: (p: { branch: string }) => `The branch ${p.branch} exists already.`,
    remedy: (p: { branch: string }) => `Rename it with \`git branch -m ${p.branch} <new name>\`, then retry the item.`,
  },
  WORKTREE_LOST: {
    kind: 'environment',
    message: (p: Path & { why: string }) =>
      `The worktree ${p.path} and its repository no longer belong together: ${p.why}.`,
    remedy: (p: Path & { why: string }) =>
      `If the repository was moved, run \`git worktree repair ${p.path}\` in it; otherwise abandon the item.`,
  },
  WORKTREE_UNREADABLE: {
    kind: 'environment',
    message: (p: Path & { why: string }) =>
      `What the worktree ${p.path} holds cannot be told, so it does not count as clean: ${p.why}.`,
    remedy: () => 'Look at the worktree by hand; retry the item once `git status` works in it, or abandon it.',
  },
  REF_STORE_UNREADABLE: {
    kind: 'environment',
    message: (p: Path) => `The record ${p.path} of a ref store cannot be read, so nothing of that store is touched.`,
    remedy: (p: Path) => `Look at the disk; if the item's work is lost or not needed, remove ${p.path} and retry.`,
  },
  REF_STORE_DAMAGED: {
    kind: 'denied',
    message: (p: Path) => `The ref store was changed from inside a session: ${p.path} is not what Kraft put there.`,
    remedy: () => 'Wait until no session of the item runs, then retry it; the store is then built anew.',
  },
});
