import type { EngineKind } from './engine.ts';

/**
 * Whether the container was never created, so that a failed session is a configuration error and not the task's fault
 * (SI 1.12). Docker's proof is its id file; Podman removes that file with a `--rm` container, and says it by exit code.
 */
export function launchFailed(input: {
  readonly kind: EngineKind;
  /** Content of the id file; null when it does not exist or none was asked for. */
  readonly cidFile: string | null;
  readonly exitCode: number | null;
}): boolean {
  return input.kind === 'docker' ? (input.cidFile ?? '').trim() === '' : input.exitCode === 125;
}
