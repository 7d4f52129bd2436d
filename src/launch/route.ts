import type { KraftError } from '../base/index.ts';
import type { EgressLists, KraftHost } from '../egress/index.ts';
import type { EgressRefusal } from '../events/index.ts';
import type { ContainerSpec, Engine, KnownEngineFacts } from '../runtime/index.ts';
import type { SweepReport } from './launch.ts';

/** Who answers what comes in on a route, and where its refusals are recorded: the daemon's part. */
export interface RouteServing {
  /** The host `kraft` of one session. */
  readonly kraft: (owner: RouteOwner) => KraftHost;
  /** Resolves once the event is on disk. */
  readonly record: (owner: RouteOwner, payload: EgressRefusal) => Promise<void>;
}

/** Who a route belongs to. Whoever comes in on it is that session, whatever it says of itself. */
export interface RouteOwner {
  readonly itemId: string;
  readonly sessionId: string;
}

/** What a session under a network policy is launched with, as plain data: part of the plan. */
export interface NetworkPlan {
  /** Kept on the session's row: a daemon that comes back goes on with these, not with the configuration of then. */
  readonly lists: EgressLists;
  /** Host path of the session's decision log. */
  readonly decisionLog: string;
}

/** A network policy on an engine. */
export interface RouteRequest extends RouteOwner, NetworkPlan {
  readonly engine: Engine;
  readonly facts: KnownEngineFacts;
  readonly user: Pick<ContainerSpec, 'user' | 'userNamespace'>;
  readonly selinux: ContainerSpec['selinux'];
}

/** The way out of one session: its relay, the channel on the relay's socket, and the proxy that answers there. */
export interface SessionRoute {
  /** The relay's id. */
  readonly relay: string;
  /** Resolves with the error of the session when its relay dies; never rejects. */
  readonly lost: Promise<KraftError>;
  /** Ends its connections. Answers what was refused, one line each, for the end of the session's log. Idempotent. */
  close(): Promise<readonly string[]>;
  /**
   * Takes the relay down; nobody waits for the engine. After `close`, and after the worker's container, which hangs on the
   * relay's (Podman keeps a container that another one depends on). Idempotent.
   */
  release(): void;
}

/** A route that is opened for a worker to come. */
export interface OpenedRoute {
  readonly route: SessionRoute;
  /** What the worker's container joins. */
  readonly joins: Pick<ContainerSpec, 'network' | 'userNamespace'>;
}

/** The routes of one home. */
export interface Routes extends AsyncDisposable {
  /** What refuses every launch under a network policy, before anything is made. Errors: RELAY_*, UPSTREAM_PROXY_*. */
  preflight(request: Pick<RouteRequest, 'engine' | 'facts' | 'user' | 'selinux'>): Promise<void>;
  /**
   * Whether a relay comes up and a request through it is refused as it must be; takes everything down again and needs no
   * daemon. Errors: those of `open`.
   */
  probe(request: Pick<RouteRequest, 'engine' | 'facts' | 'user' | 'selinux'>): Promise<void>;
  /**
   * A route that has answered through its own channel (launch-time self test). Errors: RELAY_*, CHANNEL_*; ROUTE_NOT_SERVED in a
   * process that is no daemon.
   */
  open(request: RouteRequest): Promise<OpenedRoute>;
  /** Serves a running session's channel again. Errors: RELAY_* when its relay is gone. */
  adopt(request: RouteOwner & NetworkPlan & { readonly engine: Engine; readonly relay: string }): Promise<SessionRoute>;
  /** Removes relays and sockets that no session of this process owns; never on a failed list. */
  sweep(engine: Engine): Promise<SweepReport>;
}
