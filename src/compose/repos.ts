import type { EditedHosts, HostEdit, NetworkPhase, Phase } from '../config/index.ts';
import type { RegistryHost } from '../detect/index.ts';
import type { Decision } from '../egress/index.ts';
import type { PublicRepo } from './kraft.ts';

/** What `kraft repo connect` was told; null where it is to be found out. */
export interface ConnectRequest {
  /** Absolute path inside the repository. */
  readonly path: string;
  /** `''` declares that there is none. */
  readonly setupCommand: string | null;
  /** `''` declares that there are none (`--no-tests`). */
  readonly testCommand: string | null;
  /** Null: Kraft's own worker image. */
  readonly image: string | null;
  /** Leaves a new sandbox without a network policy. */
  readonly openNetwork: boolean;
}

/** A command that the repository's own files propose. */
export interface CandidateCommand {
  readonly command: string;
  /** The file it came from, as a path inside the repository. */
  readonly marker: string;
}

/** Where a command of the entry comes from. */
export type CommandOrigin =
  /** Given on the command line. */
  | 'given'
  /** It stood in repos.yaml already. */
  | 'kept'
  /** The first of the candidates. */
  | 'proposed'
  /** Undecided: nothing was found, or what was found stops the proposal. */
  | 'none';

/** One command of the entry after connecting. */
export interface ConnectedCommand {
  /** Null: undecided. `''`: deliberately none. */
  readonly command: string | null;
  readonly origin: CommandOrigin;
  readonly marker: string | null;
  /** Further commands that were found, best first. */
  readonly alsoFound: readonly CandidateCommand[];
  /** Why nothing was proposed though something was found. */
  readonly note: string | null;
}

/** What the containers of the entry may reach after connecting. */
export interface ConnectedNetwork {
  readonly origin: 'given' | 'kept' | 'proposed';
  /** Null: open egress. */
  readonly lists: Readonly<Record<Phase, NetworkPhase>> | null;
  /** Where each host of the install phase comes from; empty unless it is proposed. */
  readonly found: readonly RegistryHost[];
  /** What was not found, as sentences. */
  readonly notes: readonly string[];
}

/** How connecting ended. */
export interface ConnectReport {
  /** `completed`: the entry existed, and something undecided was filled in. */
  readonly outcome: 'connected' | 'completed' | 'already_connected';
  readonly path: string;
  readonly label: string;
  /** The linked worktree that was named in place of its main checkout. */
  readonly namedWorktree: string | null;
  /** What the proposals were read from (`origin/main 1a2b3c4`). */
  readonly readFrom: string;
  readonly setup: ConnectedCommand;
  readonly test: ConnectedCommand;
  /** Commands per changed path, when more than one directory has tests. */
  readonly scopes: readonly { readonly paths: readonly string[]; readonly command: string }[];
  /** Image of the entry's sandbox; null when the entry declares another kind or none. */
  readonly image: string | null;
  /** Null when the entry declares another kind of sandbox or none. */
  readonly network: ConnectedNetwork | null;
  readonly warnings: readonly string[];
}

/** What `kraft repo check-host` asks. */
export interface HostCheckRequest {
  /** Path of a connected repository, a path inside it, or its label. */
  readonly repo: string;
  /** `HOST[:PORT]`; port 443 where none is named. */
  readonly host: string;
  readonly phase: Phase;
  /** Whether the name is looked up and its addresses judged; else it is decided by the name alone. */
  readonly resolve: boolean;
}

/** What a session of the repository would be answered. */
export interface HostCheck {
  readonly verdict: Omit<Decision, 'reason'> & { readonly reason: Decision['reason'] | 'no network policy' };
  readonly label: string;
  /** What the name resolved to; null when it was not asked. */
  readonly addresses: readonly string[] | null;
  /** Harnesses whose sessions alone reach it, since they bring the host along; empty when the lists decide. */
  readonly harnesses: readonly string[];
  /** What would open it, or why nothing does; null when it is allowed. */
  readonly remedy: string | null;
}

/** What `kraft repo allow|deny` asks; `repo` as in `HostCheckRequest`. */
export type EditHostsRequest = HostEdit;
/** What it did. */
export type EditHostsReport = Omit<EditedHosts, 'repo'> &
  Pick<HostEdit, 'list' | 'phase'> & { readonly path: string; readonly label: string };

/** The connected repositories of a home. Needs no daemon. */
export interface Repos {
  list(): Promise<readonly PublicRepo[]>;
  /** Idempotent: fills only what is undecided, and writes over nothing that was decided. */
  connect(request: ConnectRequest): Promise<ConnectReport>;
  /** Takes the entry out of repos.yaml; its items and their worktrees stay. */
  disconnect(path: string): Promise<{ readonly path: string; readonly label: string }>;
  /** Errors: REPO_UNKNOWN, REPO_LABEL_AMBIGUOUS, HOST_MALFORMED, HOST_UNRESOLVED, REPO_SANDBOX_NONE, REPO_SANDBOX_KIT. */
  checkHost(request: HostCheckRequest): Promise<HostCheck>;
  /** Errors: REPO_UNKNOWN, REPO_LABEL_AMBIGUOUS, and those of `editHosts` of config. */
  editHosts(request: EditHostsRequest): Promise<EditHostsReport>;
}
