import { randomHex16, safeLine } from '../base/index.ts';
import {
  type ContainerSpec,
  type Engine,
  type Mount,
  type ThrowawayResult,
  homeLabel,
  roleLabel,
} from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import type { LaunchPlan } from './launch.ts';
import { refuseLimitKill } from './limit-kill.ts';
import { notCreatedError } from './resolve-status.ts';

/** Bound of the look inside; the first one under keep-id makes Podman copy the image, at thousands of files a minute. */
export const verifyTimeoutMs = 600_000;

const script = `marker=$1
printf '%s head %s\\n' "$marker" "$(git rev-parse --verify 'HEAD^{commit}' 2>&1 | tr '\\n' ' ')"
for path in . "$HOME"; do [ -w "$path" ] || printf '%s unwritable %s\\n' "$marker" "$path"; done
printf '%s mounts\\n' "$marker"
cat /proc/self/mountinfo
printf '%s end\\n' "$marker"`;

/** A container with the mounts, the user and the variables of a plan that only looks around. Pure. */
export function planVerification(plan: LaunchPlan, marker: string): ContainerSpec {
  const { container } = plan;
  const { [homeLabel]: home = '' } = container.labels;
  return {
    ...container,
    name: null,
    cidFile: null,
    labels: { [homeLabel]: home, [roleLabel]: 'probe' },
    entrypoint: 'sh',
    command: ['-c', script, 'sh', marker],
    envNames: [],
    network: 'none',
  };
}

/**
 * What the container does not see as planned; empty when all is well. `null`: it gave no whole answer. Every mount must
 * be there with its own mode (PF-G21, G22), git must find its HEAD through them, and the worktree must be writable.
 */
export function judgeMounts(
  result: ThrowawayResult,
  mounts: readonly Mount[],
  marker: string,
): readonly string[] | null {
  const lines = result.stdout.split('\n');
  const start = lines.indexOf(`${marker} mounts`);
  const end = lines.indexOf(`${marker} end`);
  if (result.exitCode !== 0 || start < 0 || end < start) return null;
  const head =
    lines
      .find((line) => line.startsWith(`${marker} head `))
      ?.slice(marker.length + 6)
      .trim() ?? '';
  const unwritable = lines.filter((line) => line.startsWith(`${marker} unwritable `));
  const seen = parseMountinfo(lines.slice(start + 1, end));
  return [
    ...mounts.flatMap((mount) => judgeMount(mount, seen.get(mount.target))),
    ...(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u.test(head) ? [] : [`git does not find HEAD (${safeLine(head)})`]),
    ...unwritable.map((line) => `${line.slice(marker.length + 12)} cannot be written`),
  ];
}

function judgeMount(mount: Mount, seen: 'ro' | 'rw' | undefined): string[] {
  if (seen === undefined) return [`${mount.target} is not mounted`];
  if (mount.readOnly && seen === 'rw') return [`${mount.target} can be written, and must not`];
  return !mount.readOnly && seen === 'ro' ? [`${mount.target} is read-only`] : [];
}

/** Mount point -> its mode; the last line wins, as the last mount does (proc(5): octal escapes in paths). */
function parseMountinfo(lines: readonly string[]): ReadonlyMap<string, 'ro' | 'rw'> {
  const seen = new Map<string, 'ro' | 'rw'>();
  for (const line of lines) {
    const [, , , , point = '', options = ''] = line.split(' ');
    const path = point.replace(/\\([0-7]{3})/gu, (_all, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    seen.set(path, options.split(',').includes('ro') ? 'ro' : 'rw');
  }
  return seen;
}

/** Looks and throws. Errors: SANDBOX_MOUNTS_WRONG, CONTAINER_NOT_CREATED, MEMORY_LIMIT_REACHED. */
export async function verifyMounts(engine: Engine, plan: LaunchPlan): Promise<void> {
  const marker = randomHex16();
  const spec = planVerification(plan, marker);
  const result = await engine.runThrowaway(spec, { env: {}, timeoutMs: verifyTimeoutMs, input: null });
  const problems = judgeMounts(result, plan.container.mounts, marker);
  if (problems === null) {
    refuseLimitKill(result, plan.container.limits);
    const said = safeLine(result.stderr.trim().split('\n').at(-1) ?? '');
    throw notCreatedError(result.timedOut ? 'it gave no answer in time' : said === '' ? 'it said nothing' : said);
  }
  if (problems.length > 0) throw launchErrors.create('SANDBOX_MOUNTS_WRONG', { problems });
}
