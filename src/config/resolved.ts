import type { KraftError } from '../base/index.ts';
import type { PolicyLayer } from './policy-schema.ts';
import type { PolicyLayers } from './resolve-policy.ts';

/** Configuration as the rest of Kraft sees it: defaults filled, paths absolute, units parsed, nothing optional. */

export type Phase = 'install' | 'runtime';

export interface NetworkPhase {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface CredentialRule {
  readonly env: string;
  readonly service: string | null;
  readonly sentinel: string | null;
  readonly inject: readonly { readonly domain: string; readonly header: string; readonly format: string | null }[];
  /** Sorted, unique; both phases when unset in the file. */
  readonly phases: readonly Phase[];
  readonly source: string | null;
}

export interface Resources {
  readonly cpu: number | null;
  readonly memoryBytes: number | null;
  readonly pids: number | null;
}

/** A sandbox after normalisation: `resources: {}`, `network: {}` and `credentials: []` equal their absence (CC 3.1). */
export type Sandbox =
  | {
      readonly kind: 'docker';
      readonly image: string;
      readonly resources: Resources;
      /** Null: open egress. A phase that is missing beside the other denies everything. */
      readonly network: Readonly<Record<Phase, NetworkPhase>> | null;
      readonly credentials: readonly CredentialRule[];
    }
  | { readonly kind: 'kit'; readonly runtime: 'docker'; readonly kit: string };

export interface TestScope {
  readonly paths: readonly string[];
  readonly command: string;
}

/** Where tests come from: declared none (`""`), nothing declared (stops for a person), or scopes. */
export type Tests =
  | { readonly kind: 'none' }
  | { readonly kind: 'undeclared' }
  | { readonly kind: 'scopes'; readonly scopes: readonly TestScope[] };

export interface ToolPolicy {
  readonly allowedTools: readonly string[] | null;
  readonly denyTools: readonly string[];
  readonly grants: readonly string[];
}

/** One connected repository. */
export interface ResolvedRepo {
  readonly path: string;
  /** `name`, else the path: what is printed. */
  readonly label: string;
  /** What workspaces call it; null when it has none. */
  readonly id: string | null;
  readonly enabled: boolean;
  /** False on a submodule that came with its root. */
  readonly managed: boolean;
  readonly defaultChain: string;
  readonly forge: 'github' | 'gitlab' | null;
  readonly project: string | null;
  readonly models: Readonly<Record<string, string>>;
  readonly tests: Tests;
  readonly areas: Readonly<
    Record<
      string,
      { readonly paths: readonly string[]; readonly setup: string | null; readonly scopes: readonly TestScope[] }
    >
  >;
  readonly intentDir: string | null;
  /** Null: undecided (stops the item); `''`: deliberately none. */
  readonly setupCommand: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly envPassthrough: readonly string[];
  readonly localFiles: readonly string[];
  readonly steering: readonly string[];
  /** Null: none anywhere, or `false`. From `sandbox` or `policy.sandbox`. */
  readonly sandbox: Sandbox | null;
  readonly toolPolicy: ToolPolicy;
  /** The rest of the repository's policy layer, as numbers and names; null where unset. */
  readonly policy: RepoPolicy;
  /** Its policy layer as written: the policies of a chain are met with it. Null for none. */
  readonly policyLayer: PolicyLayer | null;
  readonly automatedReview: { readonly bot: string } | { readonly check: string } | null;
  /** False lets both waits for CI pass. */
  readonly ciChecks: boolean;
  /** Keys that nothing reads, with their line: kept, warned about, a failing doctor row. */
  readonly unknownKeys: readonly { readonly key: string; readonly line: number }[];
  /** Line of the entry in repos.yaml. */
  readonly line: number;
}

export interface RepoPolicy {
  readonly allowedHarnesses: readonly string[] | null;
  readonly timeoutMinutes: number | null;
  readonly maxAttempts: number | null;
  readonly timeCapMinutes: number | null;
  readonly totalTimeCapMinutes: number | null;
  readonly tokenBudget: number | null;
  readonly budgetUsd: number | null;
  readonly escalationHarness: string | null;
}

/** A root repository with others mounted inside; repositories are named by their ids. */
export interface Workspace {
  readonly id: string;
  readonly root: string;
  readonly rootPointerDefault: 'ignore' | 'bump';
  readonly members: readonly { readonly name: string; readonly repository: string; readonly path: string }[];
}

/** `repos.yaml`. `warnings` are catalogued errors that are shown and stop nothing. */
export interface LoadedRepos {
  readonly repos: readonly ResolvedRepo[];
  readonly workspaces: readonly Workspace[];
  readonly warnings: readonly KraftError[];
}

/** `harnesses.yaml`; both maps are empty when the file is missing. A harness without a profile is its own. */
export interface HarnessProfiles {
  readonly harnesses: Readonly<Record<string, HarnessProfile>>;
  readonly profiles: Readonly<Record<string, AgentProfile>>;
}

export interface HarnessProfile {
  /** Id of the harness file. */
  readonly provider: string;
  readonly enabled: boolean;
  readonly executable: string | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly permissionMode: string | null;
}

export interface AgentProfile {
  /** Model by harness file id. */
  readonly models: Readonly<Record<string, string>>;
  readonly effort: string | null;
  readonly fallback: readonly {
    readonly harness: string | null;
    readonly profile: string | null;
    readonly model: string | null;
    readonly effort: string | null;
  }[];
}

/** `sandbox.yaml`. */
export interface SandboxSettings {
  readonly cli: 'docker' | 'podman' | null;
  readonly selinux: 'auto' | 'relabel' | 'disable';
  /** Absolute. */
  readonly caBundle: string | null;
  /** Null: Kraft's own relay image. */
  readonly relayImage: string | null;
  readonly credentials: Readonly<Record<string, string>>;
}

/** `policy.yaml`, the part that this program uses. */
export interface PolicySettings {
  readonly maxConcurrent: number;
  /** Free bytes under which nothing is launched and items pause. Default 2 GiB. */
  readonly diskFloorBytes: number;
  /** Time cap of one session in minutes; null for none. */
  readonly timeCapMinutes: number | null;
  /** What is around every repository's policy. */
  readonly layers: PolicyLayers;
  /** Bounds of a fix loop that says none of its own, and those of single nodes. */
  readonly loop: { readonly maxAttempts: number; readonly wallClockMs: number };
  readonly loops: Readonly<Record<string, { readonly maxAttempts: number; readonly wallClockMs: number }>>;
  /** US dollars of one item and of one day (UTC); null for no bound. */
  readonly workItemUsd: number | null;
  readonly dailyUsd: number | null;
  /** Launches of a task that a provider may limit before the item stops for a person. */
  readonly rateLimitRetries: number;
  /** Everything of the file after validation, for `doctor` and `--json`. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** Directories of one Kraft home, resolved to real paths. */
export interface HomePaths {
  /** `$KRAFT_HOME`. */
  readonly home: string;
  /** `$KRAFT_CONFIG_DIR` or `<home>/config`. */
  readonly config: string;
  /** `$KRAFT_RUN_DIR` or `<home>/run`. */
  readonly run: string;
}
