import { normalize } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseSizeBytes, type SourceDocument } from '../base/index.ts';
import { resolvePolicy, resolveToolPolicy, type PolicyLayers } from './resolve-policy.ts';
import { parseHostPattern } from './host-pattern.ts';
import type { HarnessesFile } from './harnesses-schema.ts';
import { RepoPolicyLayer, type PolicyFile, type PolicyLayer } from './policy-schema.ts';
import type { RepoEntry, ReposFile } from './repos-schema.ts';
import { repoFields } from './repos-schema.ts';
import type { CredentialRule, HarnessProfiles, NetworkPhase, PolicySettings } from './resolved.ts';
import type { Phase, ResolvedRepo, Sandbox, SandboxSettings, TestScope, Tests, Workspace } from './resolved.ts';
import type { SandboxBlock } from './sandbox-schema.ts';
import type { SandboxFile } from './sandbox-settings-schema.ts';

const emptyLayer = RepoPolicyLayer.parse({});

/** Written configuration to resolved configuration: defaults filled, units parsed, layers met. Pure. */

export function resolveRepos(file: ReposFile, document: SourceDocument, layers: PolicyLayers): readonly ResolvedRepo[] {
  return (file.repos ?? []).map((entry, index) => resolveRepo(entry, { document, index, layers }));
}

interface EntryContext {
  readonly document: SourceDocument;
  readonly index: number;
  readonly layers: PolicyLayers;
}

function resolveRepo(entry: RepoEntry, context: EntryContext): ResolvedRepo {
  const { document, index, layers } = context;
  const path = normalizeRepoPath(entry.path);
  return {
    path,
    label: entry.name ?? path,
    id: entry.id,
    enabled: entry.enabled,
    managed: entry.managed,
    defaultChain: entry.default_chain_template ?? 'default',
    forge: entry.forge,
    project: entry.project,
    models: entry.models,
    tests: resolveTests(entry),
    areas: resolveAreas(entry),
    intentDir: entry.intent_dir,
    setupCommand: entry.setup_command,
    env: entry.env,
    envPassthrough: [...new Set(entry.env_passthrough)],
    localFiles: [...new Set(entry.local_files)],
    steering: entry.steering,
    sandbox: resolveSandbox(entry.sandbox ?? entry.policy?.sandbox ?? null),
    toolPolicy: resolveToolPolicy(entry.policy, entry.deny_tools, layers),
    policy: resolvePolicy(entry.policy, layers),
    policyLayer: layerOf(entry),
    automatedReview: resolveReview(entry),
    ciChecks: entry.ci_checks,
    unknownKeys: unknownKeysOf(entry).map((key) => ({ key, line: document.lineOf(['repos', index, key]) })),
    line: document.lineOf(['repos', index]),
  };
}

/** The policy that the entry itself writes, with the tools that it denies beside it; its sandbox is the lock's. */
function layerOf(entry: RepoEntry): PolicyLayer | null {
  if (entry.policy === null && entry.deny_tools.length === 0) return null;
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- left out.
  const { sandbox: _, ...layer } = entry.policy ?? emptyLayer;
  const denied = [...new Set([...(layer.deny_tools ?? []), ...entry.deny_tools])];
  return { ...layer, deny_tools: denied.length === 0 ? null : denied };
}

/** Keys of an entry that are no field, in the order of the file. */
export function unknownKeysOf(entry: object): readonly string[] {
  return Object.keys(entry).filter((key) => !repoFields.includes(key));
}

/** One spelling for a repository's path: no doubled, trailing or dotted parts. */
export function normalizeRepoPath(path: string): string {
  const normal = normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

function resolveTests(entry: RepoEntry): Tests {
  if (entry.test_scopes !== null) return { kind: 'scopes', scopes: entry.test_scopes };
  if (entry.test_command === '') return { kind: 'none' };
  if (entry.test_command === null) return { kind: 'undeclared' };
  return { kind: 'scopes', scopes: [{ paths: ['**'], command: entry.test_command }] };
}

function resolveAreas(entry: RepoEntry): ResolvedRepo['areas'] {
  return Object.fromEntries(
    Object.entries(entry.areas).map(([id, area]) => {
      const scopes: readonly TestScope[] = area.verification?.test_scopes ?? [];
      return [id, { paths: area.paths, setup: area.setup, scopes }];
    }),
  );
}

function resolveReview(entry: RepoEntry): ResolvedRepo['automatedReview'] {
  const review = entry.automated_review;
  if (review?.bot !== undefined) return { bot: review.bot };
  return review?.check === undefined ? null : { check: review.check };
}

const phases = ['install', 'runtime'] as const satisfies readonly Phase[];

/** A sandbox in its normal form (CC 3.1): what means the same is the same value. `false` is none. */
export function resolveSandbox(block: SandboxBlock | false | null): Sandbox | null {
  if (block === null || block === false) return null;
  if (block.kind === 'kit') return { kind: 'kit', runtime: block.runtime, kit: block.kit };
  const memory = block.resources?.memory;
  return {
    kind: 'docker',
    image: block.image,
    resources: {
      cpu: block.resources?.cpu ?? null,
      memoryBytes: memory === undefined ? null : parseSizeBytes(memory),
      pids: block.resources?.pids ?? null,
    },
    network: resolveNetwork(block.network),
    credentials: (block.credentials ?? []).map(resolveCredential),
  };
}

type DockerBlock = Extract<SandboxBlock, { kind: 'docker' }>;

function resolveNetwork(block: DockerBlock['network']): Readonly<Record<Phase, NetworkPhase>> | null {
  if (block === undefined || phases.every((phase) => block[phase] === undefined)) return null;
  const phaseOf = (phase: Phase): NetworkPhase => ({
    allow: canonicalHosts(block[phase]?.allow ?? []),
    deny: canonicalHosts(block[phase]?.deny ?? []),
  });
  return { install: phaseOf('install'), runtime: phaseOf('runtime') };
}

function canonicalHosts(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => {
    const parsed = parseHostPattern(entry);
    return parsed.kind === 'pattern' ? [parsed.pattern.text] : [];
  });
}

function resolveCredential(entry: NonNullable<DockerBlock['credentials']>[number]): CredentialRule {
  return {
    env: entry.env,
    service: entry.service ?? null,
    sentinel: entry.sentinel ?? null,
    inject: (entry.inject ?? []).map((i) => ({
      domain: i.domain.trim().toLowerCase(),
      header: i.header.toLowerCase(),
      format: i.format ?? null,
    })),
    phases: [...new Set(entry.phase ?? phases)].sort(),
    source: entry.source ?? null,
  };
}

/** Whether two sandboxes are one and the same: the lock between policy layers compares the whole value (CC 3.1). */
export function sameSandbox(a: Sandbox | null, b: Sandbox | null): boolean {
  return isDeepStrictEqual(a, b);
}

export function resolveWorkspaces(file: ReposFile): readonly Workspace[] {
  return Object.entries(file.workspaces ?? {}).map(([id, workspace]) => ({
    id,
    root: workspace.root,
    rootPointerDefault: workspace.root_pointer_default,
    members: Object.entries(workspace.members).map(([name, member]) => ({
      name,
      repository: member.repository,
      path: normalize(member.path),
    })),
  }));
}

/** `caBundle` is the file's own with `~` replaced; the loader has checked that it is absolute. */
export function resolveSandboxSettings(file: SandboxFile, caBundle: string | null): SandboxSettings {
  return {
    cli: file.cli,
    selinux: file.selinux,
    caBundle,
    relayImage: file.relay_image,
    credentials: file.credentials ?? {},
  };
}

const diskFloorDefaultBytes = 2 * 1024 ** 3;

export function resolvePolicySettings(file: PolicyFile): PolicySettings {
  return {
    maxConcurrent: file.max_concurrent,
    diskFloorBytes: parseSizeBytes(file.disk_floor) ?? diskFloorDefaultBytes,
    timeCapMinutes: resolvePolicy(null, file).timeCapMinutes,
    layers: { defaults: file.defaults, maxima: file.maxima },
    loop: loopBounds(file.default),
    loops: Object.fromEntries(Object.entries(file.loops ?? {}).map(([id, { fix_loop }]) => [id, loopBounds(fix_loop)])),
    workItemUsd: file.budgets.work_item_usd,
    dailyUsd: file.budgets.daily_usd,
    rateLimitRetries: file.rate_limit_retries,
    all: file,
  };
}

function loopBounds(bounds: PolicyFile['default']): PolicySettings['loop'] {
  return { maxAttempts: bounds.max_attempts, wallClockMs: bounds.wall_clock_s * 1000 };
}

export function resolveHarnessProfiles(file: HarnessesFile): HarnessProfiles {
  const harnesses = Object.entries(file.harnesses ?? {}).map(([id, profile]) => [
    id,
    {
      provider: profile.provider,
      enabled: profile.enabled,
      executable: profile.executable,
      model: profile.defaults?.model ?? null,
      effort: profile.defaults?.effort ?? null,
      permissionMode: profile.defaults?.permission_mode ?? null,
    },
  ]);
  const profiles = Object.entries(file.profiles ?? {}).map(([id, profile]) => [
    id,
    {
      models: profile.model,
      effort: profile.effort,
      fallback: (profile.fallback ?? []).map((entry) => ({
        harness: entry.harness,
        profile: entry.profile,
        model: entry.model,
        effort: entry.effort,
      })),
    },
  ]);
  return {
    harnesses: Object.fromEntries(harnesses) as HarnessProfiles['harnesses'],
    profiles: Object.fromEntries(profiles) as HarnessProfiles['profiles'],
  };
}
