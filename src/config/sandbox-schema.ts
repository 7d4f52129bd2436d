import { z } from 'zod';
import { parseSizeBytes, refuseKeys } from '../base/index.ts';
import { EnvName, HostList, ImageRef, KitRef, Text, problem } from './fields.ts';
import { parseHostPattern } from './host-pattern.ts';

/** The `sandbox` block of a repository or policy (CC 3, SI 1.20). Immutable once set: narrower layers only repeat it. */

const memoryMinBytes = 6 * 1024 ** 2;

export const ResourcesBlock = z.strictObject({
  cpu: z
    .number()
    .min(0.01)
    .superRefine((cpus, ctx) => {
      // Docker counts in billionths and refuses what is finer; rounding would be another limit than was asked for.
      if (!/^\d+(?:\.\d{1,9})?$/u.test(String(cpus))) problem(ctx, 'must have at most 9 decimals', {});
    })
    .optional()
    .meta({ description: 'CPUs, fractions of up to 9 decimals allowed; at least 0.01.' }),
  memory: z
    .string()
    .superRefine((text, ctx) => {
      const bytes = parseSizeBytes(text);
      if (bytes === null) problem(ctx, 'must be a whole number with an optional unit b, k, m or g, such as `4g`', {});
      else if (bytes < memoryMinBytes) problem(ctx, 'must be at least 6m', {});
    })
    .optional()
    .meta({ description: 'Memory (and swap) limit in binary units: `512m`, `4g`; at least `6m`.' }),
  pids: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Processes and threads; unset is 4096 where it can be limited.' }),
});

const PhaseBlock = z.strictObject({
  allow: HostList.optional().meta({ description: 'Hosts that may be reached. Empty or unset: none.' }),
  deny: HostList.optional().meta({ description: 'Hosts that may not be reached, whatever `allow` says.' }),
});

export const NetworkBlock = z.strictObject({
  install: PhaseBlock.optional().meta({ description: 'While the setup command runs.' }),
  runtime: PhaseBlock.optional().meta({ description: 'While agents, subprocess tasks and tests run.' }),
});

function isExactHost(text: string): boolean {
  const parsed = parseHostPattern(text);
  return parsed.kind === 'pattern' && parsed.pattern.host.kind === 'exact' && parsed.pattern.port === null;
}

const Injection = z.strictObject({
  domain: z
    .string()
    .refine(isExactHost, 'must be one exact host, without a wildcard or port')
    .meta({ description: 'The one host whose requests carry the header.' }),
  header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header')
    .meta({ description: 'Header that is set.' }),
  format: z
    .string()
    .regex(/^[\x20-\x7e]*$/, 'must be one line of printable ASCII')
    .refine((text) => text.split('%s').length === 2, 'must hold %s exactly once, where the value goes')
    .optional()
    .meta({ description: 'Text around the value, with `%s` once; unset is the value alone.' }),
});

const PhaseName = z.enum(['install', 'runtime']);

const CredentialBlock = z.strictObject({
  env: EnvName.meta({ description: 'Variable that holds a stand-in inside the sandbox.' }),
  service: Text.optional().meta({ description: 'Name of the service, for a credential of the repository itself.' }),
  sentinel: z
    .string()
    .min(1)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
    .optional()
    .meta({ description: 'The stand-in; unset is the one of the harness, else `kraft-proxy-managed`.' }),
  inject: z.array(Injection).optional().meta({ description: 'Where the value is put into requests.' }),
  phase: z.array(PhaseName).min(1).optional().meta({ description: 'Phases it is for; unset is both.' }),
  source: EnvName.optional().meta({ description: "The daemon's variable that holds the value; unset is `env`." }),
});

const DockerFields = z.strictObject({
  kind: z.literal('docker').meta({ description: '`docker` runs an image with Docker or Podman.' }),
  image: ImageRef.meta({
    description: 'For `kind: docker`: image that holds the agent, git, sh and CA certificates; by digest is best.',
  }),
  resources: ResourcesBlock.optional().meta({ description: 'Limits of every launch; `{}` equals unset.' }),
  network: NetworkBlock.optional().meta({ description: 'Egress lists; unset or `{}` is open egress.' }),
  credentials: z
    .array(CredentialBlock)
    .optional()
    .meta({ description: 'Credentials that stay outside and are put into requests; needs `network`.' }),
});
type DockerBlock = z.infer<typeof DockerFields>;
type CredentialEntry = z.infer<typeof CredentialBlock>;

const DockerSandboxBlock = refuseKeys(DockerFields.superRefine(checkCredentials), {
  runtime: { problem: 'is for `kind: kit`', remedy: 'Remove it.' },
  kit: { problem: 'is for `kind: kit`', remedy: 'Remove it, or write `kind: kit` without `image`.' },
  unrestricted_network: {
    problem: 'does not exist',
    remedy: 'Remove it; without `network` egress is open, and `kraft admin doctor` warns of it.',
  },
});

const fromKit = { problem: 'is set by the Kit', remedy: 'Remove it: under `kind: kit` the Kit is the whole sandbox.' };

const KitSandboxBlock = refuseKeys(
  z.strictObject({
    kind: z.literal('kit').meta({ description: '`kit` runs a Docker Sandbox Kit.' }),
    runtime: z.literal('docker').meta({ description: 'For `kind: kit`: what the Kit is lowered to.' }),
    kit: KitRef.meta({ description: 'For `kind: kit`: the Kit, pinned by digest.' }),
  }),
  {
    image: fromKit,
    resources: fromKit,
    network: fromKit,
    credentials: fromKit,
    unrestricted_network: { problem: 'does not exist', remedy: 'Remove it.' },
  },
);

export const SandboxBlock = z.discriminatedUnion('kind', [DockerSandboxBlock, KitSandboxBlock], {
  error: () => 'is not supported; write `docker` or `kit`',
});
export type SandboxBlock = z.infer<typeof SandboxBlock>;

/** `false` says "none" on purpose. */
export const SandboxSetting = z.union([z.literal(false), SandboxBlock], {
  error: () => 'must be a mapping with `kind`, false, or null',
});

const phases = ['install', 'runtime'] as const;
type PhaseWord = (typeof phases)[number];

/** Rules between credentials and lists (CC 3.5). Each holds at load, so that no launch meets a half-managed name. */
function checkCredentials(block: DockerBlock, ctx: z.RefinementCtx): void {
  const credentials = block.credentials ?? [];
  if (credentials.length === 0) return;
  if (block.network === undefined || Object.keys(block.network).length === 0) {
    problem(ctx, 'needs `network`: only the egress proxy puts credentials into requests', {
      path: ['credentials'],
      remedy: 'Write `network` with the hosts each phase may reach, or remove `credentials`.',
    });
    return;
  }
  const names = new Set<string>();
  const headers = new Set<string>();
  credentials.forEach((credential, i) => {
    const inPhases = credential.phase ?? phases;
    const again = claim(names, [credential.env], inPhases);
    if (again !== null) {
      problem(ctx, `lists ${again.key} a second time for the ${again.phase} phase`, {
        path: ['credentials', i, 'env'],
      });
    }
    const twice = claim(headers, new Set((credential.inject ?? []).map(headerKey)), inPhases);
    if (twice !== null) {
      const path = ['credentials', i, 'inject'];
      problem(ctx, `sets the header of ${twice.key} a second time in the ${twice.phase} phase`, { path });
    }
    checkDomains(block, credential, { ctx, index: i });
  });
}

function headerKey(inject: { domain: string; header: string }): string {
  return `${inject.domain.trim().toLowerCase()} ${inject.header.toLowerCase()}`;
}

/** Takes each key in each phase; answers the first that was taken before. */
function claim(
  taken: Set<string>,
  keys: Iterable<string>,
  inPhases: readonly PhaseWord[],
): { readonly key: string; readonly phase: string } | null {
  let again: { readonly key: string; readonly phase: string } | null = null;
  for (const key of keys) {
    for (const phase of new Set(inPhases)) {
      if (taken.has(`${phase} ${key}`)) again ??= { key, phase };
      taken.add(`${phase} ${key}`);
    }
  }
  return again;
}

function checkDomains(
  block: DockerBlock,
  credential: CredentialEntry,
  at: { ctx: z.RefinementCtx; index: number },
): void {
  (credential.inject ?? []).forEach((inject, j) => {
    if (!isExactHost(inject.domain)) return;
    const open = phases.filter((phase) => namesHost(block, phase, inject.domain));
    const wanted = credential.phase ?? null;
    const missing = wanted === null ? (open.length === 0 ? phases : []) : wanted.filter((p) => !open.includes(p));
    if (missing.length === 0) return;
    const where = missing.join(wanted === null ? ' or ' : ' and ');
    problem(at.ctx, `goes to ${inject.domain}, which network ${where} does not allow by name`, {
      path: ['credentials', at.index, 'inject', j, 'domain'],
      remedy: `Write ${inject.domain} in \`allow\` of ${where} (a wildcard does not count) and take it out of \`deny\`.`,
    });
  });
}

/** Whether the phase's lists allow the host by its own name, on any port, and do not deny it by name. */
function namesHost(block: DockerBlock, phase: PhaseWord, domain: string): boolean {
  const name = domain.trim().toLowerCase();
  const names = (list: readonly string[] | undefined): boolean =>
    (list ?? []).some((entry) => {
      const parsed = parseHostPattern(entry);
      return parsed.kind === 'pattern' && parsed.pattern.host.kind === 'exact' && parsed.pattern.host.name === name;
    });
  const lists = block.network?.[phase];
  return names(lists?.allow) && !names(lists?.deny);
}
