import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { markStarted, run, runRequest, temporaryName } from '../process/index.ts';
import type { ContainerSpec } from './container.ts';
import type { ClientCommand, Engine, ThrowawayResult } from './engine.ts';

const outputMaxBytes = 8 * 1024 * 1024;

/**
 * Runs a throw-away container through its engine's CLI. A client that is ended leaves its container running, so one
 * that did not end in time is removed by the id that the client wrote down.
 */
export async function runThrowawayClient(
  engine: Pick<Engine, 'clientCommand' | 'removeContainer'>,
  privateDir: string,
  spec: ContainerSpec,
  options: Parameters<Engine['runThrowaway']>[1],
): Promise<ThrowawayResult> {
  const cidFile = spec.cidFile ?? join(privateDir, `throwaway-${temporaryName()}.cid`);
  const command: ClientCommand = engine.clientCommand({ ...spec, cidFile }, options.env);
  try {
    const done = await run(
      runRequest(
        command.file,
        command.args,
        { ...command.env, ...markStarted(dirname(privateDir)) },
        {
          cwd: privateDir,
          input: options.input,
          timeoutMs: options.timeoutMs,
          outputMaxBytes,
        },
      ),
    );
    if (done.timedOut || done.exitCode === null) await removeStarted(engine, cidFile);
    return { exitCode: done.exitCode, stdout: done.stdout, stderr: done.stderr, timedOut: done.timedOut };
  } finally {
    if (spec.cidFile === null) rmSync(cidFile, { force: true });
    // conmon's word on a memory kill, which it leaves where the client ran; nobody reads it here.
    rmSync(join(privateDir, 'oom'), { force: true });
  }
}

async function removeStarted(engine: Pick<Engine, 'removeContainer'>, cidFile: string): Promise<void> {
  const id = readOrEmpty(cidFile).trim();
  if (id === '') return;
  // The answer to give is that it did not end; a container that stays has the label by which a later sweep finds it.
  await engine.removeContainer(id).catch(() => undefined);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
