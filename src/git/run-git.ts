import { safeLine, type Log } from '../base/index.ts';
import { findProgram, processErrors, run, type RunResult } from '../process/index.ts';
import { withoutUserInfo, type Pin } from '../refs/index.ts';
import { gitEnvironment, type ConfigScope } from './environment.ts';
import { gitErrors } from './errors.ts';

/** One call of git. `place` says which repository; the rest is the usual unless given. */
export interface GitCall {
  readonly args: readonly string[];
  /** What it is for, as the end of "git could not …". */
  readonly action: string;
  readonly place: GitPlace;
  readonly scope?: ConfigScope;
  readonly pins?: readonly Pin[];
  readonly env?: Readonly<Record<string, string>>;
  /** True for what writes into the person's repository or worktree: the person's umask then holds. */
  readonly writes?: boolean;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly outputMaxBytes?: number;
}

/** Where a call works. With a `gitDir` git discovers nothing and reads no `.git` on its way. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir: string | null;
  readonly workTree: string | null;
}

/** A git directory as a place, for calls that touch no working tree. */
export function atGitDir(gitDir: string): GitPlace {
  return { cwd: gitDir, gitDir, workTree: null };
}

export const longTimeoutMs = 600_000;
export const largeOutputBytes = 256 * 1024 * 1024;
const usualTimeoutMs = 30_000;
const usualOutputBytes = 8 * 1024 * 1024;
// GIT_CONFIG_COUNT came with 2.31: an older git would ignore every pin.
const neededVersion = [2, 31] as const;

// The umask is a property of the whole process, so a child gets another one by a shell that becomes git.
const withUmask = 'umask "$1" && shift && exec "$@"';

/** Runs git hardened (SI 2.8), bounded in time and output. */
export interface GitRunner {
  readonly log: Log;
  /** The person's umask, for files that Kraft itself puts into their repository or worktree. */
  readonly umask: number;
  /** Variables that keep ssh from asking, for a person who did not choose an ssh of their own; else none. */
  readonly batchSsh: Readonly<Record<string, string>>;
  /** The result whatever the exit code. Errors: GIT_TOO_OLD, GIT_TIMED_OUT, PROGRAM_MISSING. */
  result(call: GitCall): Promise<RunResult>;
  /** Standard output. Errors: as `result`, and GIT_FAILED for any other end or cut output. */
  text(call: GitCall): Promise<string>;
}

export function openRunner(options: {
  readonly env: Readonly<Record<string, string>>;
  readonly umask: number;
  readonly log: Log;
  /** Of `markStarted`: by it the next daemon ends what this one did not live to wait for. */
  readonly mark: Readonly<Record<string, string>>;
}): GitRunner {
  let checked: Promise<string> | null = null;

  async function program(): Promise<string> {
    checked ??= checkGit(options.env).catch((error: unknown) => {
      checked = null;
      throw error;
    });
    return checked;
  }

  async function result(call: GitCall): Promise<RunResult> {
    const git = await program();
    const umask = (call.writes === true ? options.umask : 0o077).toString(8).padStart(3, '0');
    const timeoutMs = call.timeoutMs ?? usualTimeoutMs;
    const { gitDir, workTree } = call.place;
    const done = await run({
      file: '/bin/sh',
      args: ['-c', withUmask, 'kraft-git', umask, git, ...call.args],
      env: gitEnvironment(options.env, {
        scope: call.scope ?? 'repository',
        pins: call.pins ?? [],
        extra: {
          ...options.mark,
          ...(gitDir === null ? {} : { GIT_DIR: gitDir }),
          ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }),
          ...call.env,
        },
      }),
      cwd: call.place.cwd,
      input: call.input ?? null,
      timeoutMs,
      outputMaxBytes: call.outputMaxBytes ?? usualOutputBytes,
      onOutput: null,
      abort: null,
    });
    if (done.timedOut) throw gitErrors.create('GIT_TIMED_OUT', { action: call.action, seconds: timeoutMs / 1000 });
    return done;
  }

  return {
    log: options.log,
    umask: options.umask,
    batchSsh:
      options.env['GIT_SSH'] === undefined && options.env['GIT_SSH_COMMAND'] === undefined
        ? { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes' }
        : {},
    result,
    async text(call) {
      const done = await result(call);
      if (done.truncated) {
        throw gitErrors.create('GIT_FAILED', { action: call.action, why: 'its output is larger than Kraft reads' });
      }
      if (done.exitCode !== 0) throw gitErrors.create('GIT_FAILED', { action: call.action, why: explainEnd(done) });
      return done.stdout;
    },
  };
}

async function checkGit(env: Readonly<Record<string, string>>): Promise<string> {
  const git = findProgram('git', env['PATH'] ?? '');
  if (git === null) throw processErrors.create('PROGRAM_MISSING', { program: 'git' });
  const done = await run({
    file: git,
    args: ['version'],
    env: gitEnvironment(env, { scope: 'repository', pins: [], extra: {} }),
    cwd: '/',
    input: null,
    timeoutMs: usualTimeoutMs,
    outputMaxBytes: 65_536,
    onOutput: null,
    abort: null,
  });
  const [, major, minor] = /(\d+)\.(\d+)/u.exec(done.stdout) ?? [];
  const recent =
    Number(major) > neededVersion[0] || (Number(major) === neededVersion[0] && Number(minor) >= neededVersion[1]);
  if (!recent) {
    const found = major === undefined ? 'of an unknown version' : `${major}.${minor ?? ''}`;
    throw gitErrors.create('GIT_TOO_OLD', { found, needed: neededVersion.join('.') });
  }
  return git;
}

/** Why a call ended as it did, on one line that is safe to print and names no secret of an address. */
export function explainEnd(done: RunResult): string {
  if (done.notFound) return 'its working directory is missing';
  const lines = done.stderr.split('\n').map((line) => line.trim());
  const told = lines
    .filter((line) => line !== '' && !line.startsWith('hint:'))
    .slice(-3)
    .join(' ');
  const end =
    done.exitCode === null ? `it was ended by ${done.signal ?? 'the system'}` : `it exited with ${done.exitCode}`;
  return told === '' ? end : safeLine(withoutUserInfo(told)).slice(0, 500).replace(/\.$/u, '');
}
