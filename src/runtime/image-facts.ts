import { homeLabel, roleLabel } from './names.ts';
import type { ContainerLimits, ContainerSpec } from './container.ts';
import type { ThrowawayResult } from './engine.ts';

/** Bound of looking into an image (SI 0.5); an image that is not here yet may be pulled inside it. */
export const imageFactsTimeoutMs = 300_000;

/** The image's own root certificates: the first that exists is read (SI 5.8). */
export const imageRootPaths = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/cert.pem',
] as const;

interface LookRequest {
  readonly image: string;
  /** Resolved KRAFT_HOME, for the label. */
  readonly home: string;
  /** Separates Kraft's own lines from whatever else the image prints: fresh hex digits. */
  readonly marker: string;
  /** Those of the sandbox that asks: an image may do anything, also when it is only looked at. */
  readonly limits: ContainerLimits;
  readonly selinux: ContainerSpec['selinux'];
}

function planLook(request: LookRequest): ContainerSpec {
  return {
    name: null,
    labels: { [homeLabel]: request.home, [roleLabel]: 'probe' },
    image: request.image,
    command: [],
    entrypoint: null,
    user: null,
    userNamespace: null,
    mounts: [],
    tmpfs: {},
    workingDir: null,
    envLiterals: {},
    envNames: [],
    network: 'none',
    limits: request.limits,
    init: false,
    readOnlyRoot: false,
    interactive: false,
    cidFile: null,
    pull: null,
    selinux: request.selinux === 'disable' ? 'disable' : null,
  };
}

const programScript =
  'marker=$1; shift; for program in "$@"; do if command -v "$program" >/dev/null 2>&1; then echo "$marker yes $program"; else echo "$marker no $program"; fi; done; echo "$marker end"';

/**
 * Asks an image which programs it has, all in one container (SI 1.8). The image's entrypoint stays: version managers
 * put their shims on PATH there. `envNames` are the repository's `env`, whose PATH counts too.
 */
export function planProgramProbe(
  request: LookRequest & { readonly programs: readonly string[]; readonly envNames: readonly string[] },
): ContainerSpec {
  return {
    ...planLook(request),
    command: ['sh', '-c', programScript, 'sh', request.marker, ...request.programs],
    envNames: request.envNames,
  };
}

/** Programs that are not there, or that the image gave no readable answer (then the launch goes on). */
export type ProgramAnswer =
  | { readonly kind: 'answered'; readonly missing: readonly string[] }
  | { readonly kind: 'inconclusive'; readonly why: string };

/** Reads `planProgramProbe`'s output; anything but a whole answer is inconclusive, never "missing". */
export function parseProgramProbe(
  result: ThrowawayResult,
  request: { readonly programs: readonly string[]; readonly marker: string },
): ProgramAnswer {
  if (result.timedOut) return { kind: 'inconclusive', why: 'the container did not end in time' };
  const lines = result.stdout.split(/\r?\n/);
  if (result.exitCode !== 0 || !lines.includes(`${request.marker} end`)) {
    const said = result.stderr.trim().split('\n').at(-1) ?? '';
    return { kind: 'inconclusive', why: said === '' ? `it ended with code ${String(result.exitCode)}` : said };
  }
  const missing = request.programs.filter((program) => !lines.includes(`${request.marker} yes ${program}`));
  const unanswered = missing.find((program) => !lines.includes(`${request.marker} no ${program}`));
  if (unanswered !== undefined) return { kind: 'inconclusive', why: `it did not say whether it has ${unanswered}` };
  return { kind: 'answered', missing };
}

const readerScript = `marker=$1; shift
show() { if [ -f "$2" ] && [ -r "$2" ]; then printf '\\n%s file %s %s\\n' "$marker" "$1" "$2"; cat "$2" || exit 1; fi; }
printf '\\n%s path\\n%s' "$marker" "$PATH"
show passwd /etc/passwd
show group /etc/group
for file in ${imageRootPaths.join(' ')}; do if [ -f "$file" ]; then [ -r "$file" ] || exit 1; show roots "$file"; break; fi; done
for file in "$@"; do show named "$file"; done
printf '\\n%s end\\n' "$marker"`;

/**
 * Reads what a launch needs of an image: PATH, passwd, group, root certificates and `namedFiles` (CA files that the
 * image or the repository points a variable at). No network, no mount, the entrypoint bypassed.
 */
export function planImageReader(request: LookRequest & { readonly namedFiles: readonly string[] }): ContainerSpec {
  return {
    ...planLook(request),
    entrypoint: 'sh',
    command: ['-c', readerScript, 'sh', request.marker, ...request.namedFiles],
  };
}

/** What an image says of itself. Texts are empty where the image has no such file. */
export interface ImageFacts {
  readonly path: string;
  readonly passwd: string;
  readonly group: string;
  /** Content of the first of `imageRootPaths`; empty for an image without roots, which is an answer too. */
  readonly roots: string;
  /** Path -> content, for those of the named files that exist. */
  readonly namedFiles: Readonly<Record<string, string>>;
}

/** Reads `planImageReader`'s output; null when it is not a whole answer: nothing of it may be used or kept. */
export function parseImageReader(result: ThrowawayResult, marker: string): ImageFacts | null {
  if (result.timedOut || result.exitCode !== 0) return null;
  const [, ...sections] = `\n${result.stdout}`.split(`\n${marker} `);
  if (sections.at(-1)?.trimEnd() !== 'end') return null;
  const facts = { path: '', passwd: '', group: '', roots: '' };
  const namedFiles: Record<string, string> = {};
  for (const section of sections.slice(0, -1)) {
    const at = section.indexOf('\n');
    const [what = '', kind = '', ...rest] = section.slice(0, at).split(' ');
    const body = section.slice(at + 1);
    if (what === 'path') facts.path = body;
    else if (kind === 'passwd' || kind === 'group' || kind === 'roots') facts[kind] = body;
    else namedFiles[rest.join(' ')] = body;
  }
  return { ...facts, namedFiles };
}
