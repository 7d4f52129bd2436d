import { defineErrors } from '../base/index.ts';

/** Where a problem is: `file` as people call it (`repos.yaml`), `path` from its top, `problem` a clause. */
interface At {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly problem: string;
}

interface KeyAt extends At {
  readonly key: string;
}

function place(p: At): string {
  return `${p.file}:${p.line}: ${p.path === '' ? 'the file' : p.path} ${p.problem}.`;
}

/** A remedy that comes with the problem, after where it is to be done. */
function there(p: { file: string; line: number; remedy: string }): string {
  return `Line ${p.line} of ${p.file}: ${p.remedy}`.replace(/([^.`)])$/, '$1.');
}

export const configErrors = defineErrors({
  CONFIG_UNREADABLE: {
    kind: 'config',
    message: (p: { file: string; why: string }) => `${p.file} cannot be read: ${p.why}.`,
    remedy: () => 'Make it a regular file that you may read, or remove it to go by the defaults.',
  },
  CONFIG_NOT_YAML: {
    kind: 'config',
    message: place,
    remedy: (p: At) => `Correct line ${p.line} of ${p.file}; it takes plain YAML, one document, in UTF-8.`,
  },
  CONFIG_WRONG_TYPE: {
    kind: 'config',
    message: place,
    remedy: (p: At) => `Change the value on line ${p.line} of ${p.file}; values are taken as written, never converted.`,
  },
  CONFIG_BAD_VALUE: {
    kind: 'config',
    message: (p: At & { remedy: string | null }) => place(p),
    remedy: (p: At & { remedy: string | null }) => there({ ...p, remedy: p.remedy ?? 'change the value' }),
  },
  CONFIG_MISSING_KEY: {
    kind: 'config',
    message: place,
    remedy: (p: At) => `Write ${p.path} in ${p.file}; docs/reference/configuration.md has what it takes.`,
  },
  CONFIG_UNKNOWN_KEY: {
    kind: 'config',
    message: (p: KeyAt & { meant: string | null; known: string | null }) =>
      `${p.file}:${p.line}: ${p.path === '' ? 'the file' : p.path} has the unknown key ${p.key}` +
      `${p.meant === null ? '' : `, which is close to ${p.meant}`}.`,
    remedy: (p: KeyAt & { meant: string | null; known: string | null }) =>
      p.meant === null ? `Remove ${p.key}. ${p.known ?? ''}`.trimEnd() : `Write ${p.meant}, or remove it.`,
  },
  CONFIG_REFUSED_KEY: {
    kind: 'config',
    message: (p: KeyAt & { remedy: string }) =>
      `${p.file}:${p.line}: ${p.path === '' ? '' : `${p.path}: `}${p.key} ${p.problem}.`,
    remedy: there,
  },
  CONFIG_UNREAD_KEY: {
    kind: 'config',
    message: (p: KeyAt & { remedy: string }) => `${p.file}:${p.line}: ${p.path}: nothing reads the key ${p.key}.`,
    remedy: there,
  },
  CONFIG_OPEN_NETWORK: {
    kind: 'config',
    message: (p: At) => place(p),
    remedy: () => 'Write `network: {runtime: {}}` to deny everything, or remove `network` to say that egress is open.',
  },
  CONFIG_POLICY_CONFLICT: {
    kind: 'config',
    message: place,
    remedy: () => 'Write the same value as policy.yaml does, or leave it out.',
  },
  CONFIG_SAVE_REFUSED: {
    kind: 'config',
    message: (p: { file: string; problem: string; remedy: string }) =>
      `Nothing was saved, because ${p.file} would not load afterwards (${p.problem}).`,
    remedy: (p: { remedy: string }) => `Give another value, and try again (${p.remedy})`,
  },
  CONFIG_LOCKED: {
    kind: 'environment',
    message: (p: { file: string; lock: string; owner: string; waitedMs: number }) =>
      `${p.file} is being written by ${p.owner}, which did not finish within ${Math.round(p.waitedMs / 1000)} s.`,
    remedy: (p: { lock: string }) => `Try again; if no such process runs, remove ${p.lock}.`,
  },
  CONFIG_WRITE_FAILED: {
    kind: 'environment',
    message: (p: { file: string; why: string }) =>
      `${p.file} could not be written: ${p.why}. The old file is unchanged.`,
    remedy: () => 'Check the free space and the owner of the directory it lies in, then try again.',
  },
  REPO_ALREADY_CONNECTED: {
    kind: 'usage',
    message: (p: { path: string; line: number }) => `${p.path} is already connected (repos.yaml:${p.line}).`,
    remedy: () => 'Nothing is to be done; edit the entry to change it.',
  },
  REPO_ENTRY_UNKNOWN: {
    kind: 'usage',
    message: (p: { path: string }) => `${p.path} is not connected.`,
    remedy: (p: { path: string }) =>
      `Connect it with \`kraft repo connect ${p.path}\`; \`kraft repo list\` shows what is.`,
  },
  HOST_PATTERN_REFUSED: {
    kind: 'usage',
    message: (p: { problem: string; remedy: string }) => `The list ${p.problem}; nothing was written.`,
    remedy: (p: { problem: string; remedy: string }) => p.remedy,
  },
  REPO_SANDBOX_NONE: {
    kind: 'config',
    message: (p: { path: string }) => `${p.path} has no sandbox, so it has no network policy.`,
    remedy: (p: { path: string }) => `Give it a sandbox with \`kraft repo connect ${p.path}\`, then try again.`,
  },
  REPO_SANDBOX_KIT: {
    kind: 'config',
    message: (p: { path: string }) => `${p.path} runs in a Kit, whose network policy is its own.`,
    remedy: () => 'Change the hosts in the Kit, build it anew and pin the new digest in repos.yaml.',
  },
  REPO_EGRESS_OPEN: {
    kind: 'config',
    message: (p: { path: string; line: number }) =>
      `${p.path} leaves egress open: its sandbox has no \`network\`, and a first entry would close all the rest.`,
    remedy: (p: { path: string; line: number }) =>
      `Write \`network: {runtime: {}}\` into its sandbox (repos.yaml:${p.line}), which closes all of it, then try again.`,
  },
});
