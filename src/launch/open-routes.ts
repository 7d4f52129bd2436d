import { join } from 'node:path';
import { type KraftError, asKraftError, type Clock, type Log } from '../base/index.ts';
import type { HomePaths, SandboxSettings } from '../config/index.ts';
import type { EgressRefusal } from '../events/index.ts';
import type { EnvReader } from '../credentials/index.ts';
import {
  RefusalDigest,
  openDecisionLog,
  netDialer,
  openEgressProxy,
  openResolver,
  planUpstreams,
  readOwnAddresses,
  renderRefusals,
  resolveEgressPolicy,
  type DecisionLog,
  type EgressPolicy,
  type EgressProxy,
  type EgressProxyOptions,
  type Upstreams,
} from '../egress/index.ts';
import { joinRelay, openRelays, relayErrors, type RelayLease, type RelayNeed, type Relays } from '../relay/index.ts';
import { relayImage } from '../runtime/index.ts';
import { launchErrors } from './errors.ts';
import type { SweepReport } from './launch.ts';
import type {
  NetworkPlan,
  OpenedRoute,
  RouteOwner,
  RouteRequest,
  RouteServing,
  Routes,
  SessionRoute,
} from './route.ts';

export interface RoutesOptions {
  readonly paths: HomePaths;
  /** Reads the daemon's environment, at the moment of use. */
  readonly env: EnvReader;
  readonly loadSandbox: () => Promise<SandboxSettings>;
  readonly clock: Clock;
  readonly log: Log;
  /** Null in a process that is no daemon: it opens no route. */
  readonly serving: RouteServing | null;
}

/** Relays kept ready: for the next launch, and for the one beside it. */
const readyRelays = 2;

/** Opens the routes of a home; no relay is started and no name looked up before somebody asks for a route. */
export function openRoutes(options: RoutesOptions): Routes {
  return new HomeRoutes(options);
}

class HomeRoutes implements Routes {
  readonly #options: RoutesOptions;
  readonly #relays: Relays;
  /** Of all sessions, so that look-ups are bounded together. */
  readonly #resolver = openResolver();
  readonly #ownAddresses = readOwnAddresses(() => []);

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.#relays = openHomeRelays(options, readyRelays);
  }

  async preflight(request: Parameters<Routes['preflight']>[0]): Promise<void> {
    planUpstreams(this.#options.env);
    await this.#relays.check(await this.#need(request));
  }

  async probe(request: Parameters<Routes['probe']>[0]): Promise<void> {
    const upstreams = planUpstreams(this.#options.env);
    // Keeps none ready: this process may be gone the next moment.
    const relays = openHomeRelays(this.#options, 0);
    const lease = await relays.take(await this.#need(request));
    const policy = resolveEgressPolicy({ phase: 'runtime', allow: [], deny: [] });
    const proxy = this.#openProxy({ policy, upstreams, kraft: null, log: null, onRefusal: () => Promise.resolve() });
    try {
      lease.serve((socket) => proxy.accept(socket));
      await lease.selfTest();
    } finally {
      await proxy.close();
      await lease.release();
      await relays.close();
    }
  }

  async open(request: RouteRequest): Promise<OpenedRoute> {
    const session = this.#plan(request);
    const need = await this.#need(request);
    const lease = await this.#relays.take(need);
    const route = await this.#serve(session, lease);
    try {
      // Through its own channel, and before any worker is there to ask.
      await lease.selfTest();
      return { route, joins: joinRelay(lease.container, request.user) };
    } catch (error) {
      await route.close();
      route.release();
      throw error;
    }
  }

  async adopt(request: Parameters<Routes['adopt']>[0]): Promise<SessionRoute> {
    const session = this.#plan(request);
    return this.#serve(session, await this.#relays.adopt(request));
  }

  async sweep(engine: Parameters<Routes['sweep']>[0]): Promise<SweepReport> {
    try {
      return { removed: await this.#relays.sweep({ engine, keep: new Set() }), problems: [] };
    } catch (error) {
      return { removed: [], problems: [`relays of this home could not be swept: ${asKraftError(error).message}`] };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relays.close();
  }

  /** Everything that can be refused before a relay is taken. */
  #plan(owner: RouteOwner & NetworkPlan): PlannedRoute {
    const { serving, env } = this.#options;
    if (serving === null) throw launchErrors.create('ROUTE_NOT_SERVED', undefined);
    return { owner, serving, policy: resolveEgressPolicy(owner.lists), upstreams: planUpstreams(env) };
  }

  async #need(request: Parameters<Routes['preflight']>[0]): Promise<RelayNeed> {
    const { loadSandbox } = this.#options;
    const { engine, facts, user, selinux } = request;
    return { engine, facts, user, selinux, image: (await loadSandbox()).relayImage ?? relayImage };
  }

  async #serve({ owner, serving, policy, upstreams }: PlannedRoute, lease: RelayLease): Promise<ServedRoute> {
    try {
      const digest = new RefusalDigest({ id: owner.sessionId, phase: owner.lists.phase });
      const decisions = openDecisionLog(owner.decisionLog);
      const proxy = this.#openProxy({
        policy,
        upstreams,
        kraft: serving.kraft(owner),
        log: decisions,
        onRefusal: (refusal) => this.#record(serving, owner, digest.take(refusal)),
      });
      lease.serve((socket) => proxy.accept(socket));
      return new ServedRoute({ lease, proxy, digest, decisions });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  #openProxy(session: Pick<EgressProxyOptions, 'policy' | 'upstreams' | 'kraft' | 'log' | 'onRefusal'>): EgressProxy {
    return openEgressProxy({
      ...session,
      resolver: this.#resolver,
      ownAddresses: this.#ownAddresses,
      dialer: netDialer,
      limits: null,
      clock: this.#options.clock,
    });
  }

  /** A refusal stands whether or not it could be recorded. */
  async #record(serving: RouteServing, owner: RouteOwner, payload: EgressRefusal | null): Promise<void> {
    if (payload === null) return;
    try {
      await serving.record(owner, payload);
    } catch (error) {
      const { itemId, sessionId } = owner;
      this.#options.log.warn(
        `${itemId}: a refusal of session ${sessionId} was not recorded: ${asKraftError(error).message}`,
      );
    }
  }
}

function openHomeRelays({ paths, log }: RoutesOptions, size: number): Relays {
  const socketsDir = join(paths.run, 'sn');
  return openRelays({ home: paths.home, socketsDir, platform: process.platform, log, timing: null, size });
}

interface PlannedRoute {
  readonly owner: RouteOwner & NetworkPlan;
  readonly serving: RouteServing;
  readonly policy: EgressPolicy;
  readonly upstreams: Upstreams;
}

/** A route that is open: the relay's channel leads to the session's proxy. */
class ServedRoute implements SessionRoute {
  readonly relay: string;
  readonly lost: Promise<KraftError>;
  readonly #parts: ServedParts;
  #closed: Promise<readonly string[]> | null = null;

  constructor(parts: ServedParts) {
    const { id, container, lost } = parts.lease;
    this.#parts = parts;
    this.relay = id;
    this.lost = lost.then((why) => relayErrors.create('RELAY_LOST', { container, why }));
  }

  close(): Promise<readonly string[]> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  release(): void {
    void this.#parts.lease.release();
  }

  async #close(): Promise<readonly string[]> {
    const { proxy, digest, decisions } = this.#parts;
    await proxy.close();
    decisions.close();
    return renderRefusals(digest.hosts(), null);
  }
}

interface ServedParts {
  readonly lease: RelayLease;
  readonly proxy: EgressProxy;
  readonly digest: RefusalDigest;
  readonly decisions: DecisionLog;
}
