/** Out-of-memory kill under a limit; `memory` as the engine takes it (`4g`). The session may have got past it. */
export interface SandboxOomKilled {
  readonly type: 'sandbox_oom_killed';
  readonly payload: {
    readonly session_id: string;
    readonly memory: string;
    readonly confirmed: boolean;
    /** The most that its cgroup was seen to use; null when that could not be read. */
    readonly peak_bytes: number | null;
  };
}
/** The item's branch could not be carried into the repository; the commit may lie under `refs/kraft/unsynced/…`. */
export interface SandboxBranchNotSynced {
  readonly type: 'sandbox_branch_not_synced';
  readonly payload: {
    readonly session_id: string;
    readonly branch: string;
    readonly reason: string;
    /** Ref that keeps the commit, or null when nothing could be kept. */
    readonly kept_as: string | null;
  };
}
/** The item's branch moved in the person's repository, and nothing else did. */
export interface SandboxBranchSynced {
  readonly type: 'sandbox_branch_synced';
  readonly payload: {
    readonly session_id: string;
    readonly branch: string;
    readonly from: string | null;
    readonly to: string;
  };
}
/** Disk fell under the floor of `policy.yaml`; running items were paused. */
export interface DiskFloorReached {
  readonly type: 'disk_floor_reached';
  readonly payload: { readonly path: string; readonly free_bytes: number; readonly floor_bytes: number };
}
/** A request that the network policy or Kraft's own API refused (SI 4.8): one for each session and host or route. */
export interface SandboxEgressRefused {
  readonly type: 'sandbox_egress_refused';
  readonly payload: EgressRefusal;
}
interface RefusedTarget {
  readonly session_id: string;
  /** Canonical: lower case, an IPv6 address in its shortest form and without brackets. */
  readonly host: string;
  /** The port of the first such request. */
  readonly port: number;
  readonly phase: 'install' | 'runtime';
  readonly reason: string;
}
export type EgressRefusal =
  | RefusedTarget
  /** A call of Kraft's API: `METHOD path`, at most 256 characters; its host is `kraft`. */
  | (RefusedTarget & { readonly route: string })
  /** The last of a session that was refused too many: later ones are refused without a record. */
  | {
      readonly session_id: string;
      readonly phase: 'install' | 'runtime';
      readonly suppressed: true;
      readonly reason: string;
    };

export type SandboxEvent =
  SandboxEgressRefused | SandboxOomKilled | SandboxBranchNotSynced | SandboxBranchSynced | DiskFloorReached;
