import { execa } from 'execa';

/** What to run and its bounds. Every call is bounded in time and in what it may print. */
export interface RunRequest {
  /** Executable: absolute, or looked up on the PATH of `env`. Never a shell. */
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment of the process; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  /** Bytes for standard input; null gives an empty one. */
  readonly input: string | Uint8Array | null;
  readonly timeoutMs: number;
  /** Cap of each of stdout and stderr in bytes; what is over is dropped and `truncated` set. */
  readonly outputMaxBytes: number;
  /** Called with each chunk of stderr/stdout as it comes (progress); null for none. */
  readonly onOutput: ((chunk: string) => void) | null;
  /** Ends the process early; null when nothing can. */
  readonly abort: AbortSignal | null;
}

/** How the process ended. A non-zero exit is a result, not an error. */
export interface RunResult {
  /** Null when it did not exit by itself (signal, time-out, not found). */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** The executable does not exist, is not executable, or the working directory is missing. */
  readonly notFound: boolean;
  readonly truncated: boolean;
}

/** Runs one program to its end. Never throws for what the program does; see `RunResult`. */
export async function run(request: RunRequest): Promise<RunResult> {
  const child = execa(request.file, [...request.args], {
    env: { ...request.env },
    extendEnv: false,
    preferLocal: false,
    reject: false,
    stripFinalNewline: false,
    timeout: request.timeoutMs,
    killSignal: 'SIGTERM',
    forceKillAfterDelay: 2_000,
    maxBuffer: request.outputMaxBytes,
    encoding: 'utf8',
    ...(request.cwd === null ? {} : { cwd: request.cwd }),
    ...(request.abort === null ? {} : { cancelSignal: request.abort }),
    ...(request.input === null ? { stdin: 'ignore' as const } : { input: request.input }),
  });
  if (request.onOutput !== null) {
    const report = request.onOutput;
    child.stdout.on('data', (chunk: Buffer) => report(chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => report(chunk.toString('utf8')));
  }
  const done = await child;
  const code = done.code;
  return {
    exitCode: done.exitCode ?? null,
    signal: done.signal ?? null,
    stdout: done.stdout,
    stderr: done.stderr,
    timedOut: done.timedOut,
    notFound: code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR',
    truncated: done.isMaxBuffer,
  };
}

/** A `run` with the usual bounds filled in; override what differs. */
export function runRequest(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  overrides: Partial<Omit<RunRequest, 'file' | 'args' | 'env'>> = {},
): RunRequest {
  return {
    file,
    args,
    env,
    cwd: null,
    input: null,
    timeoutMs: 30_000,
    outputMaxBytes: 8 * 1024 * 1024,
    onOutput: null,
    abort: null,
    ...overrides,
  };
}
