import type { KraftError } from '../../src/base/index.ts';
import type { OpenedRoute, RouteRequest, Routes, SessionRoute } from '../../src/launch/index.ts';

/** Routes without relays: what a launcher asks of them is recorded, and a test says what comes of it. */
export class FakeRoutes implements Routes {
  readonly opened: RouteRequest[] = [];
  readonly adopted: Parameters<Routes['adopt']>[0][] = [];
  /** `close` and `release` of each route, in order. */
  readonly ended: string[] = [];
  sweeps = 0;
  /** Looks around when a relay is taken down. */
  onRelease: () => void = () => undefined;
  /** Lines that a route answers when it is closed. */
  refused: readonly string[] = [];
  /** Thrown by the next call. */
  refusal: KraftError | null = null;
  readonly #lose = new Map<string, (error: KraftError) => void>();

  preflight(): Promise<void> {
    return this.#answer(undefined);
  }

  probe(): Promise<void> {
    return this.#answer(undefined);
  }

  open(request: RouteRequest): Promise<OpenedRoute> {
    this.opened.push(request);
    const relay = `relay${this.opened.length}`;
    const joins = { network: `container:kraft-relay-${relay}`, userNamespace: null };
    return this.#answer({ route: this.#route(relay), joins });
  }

  adopt(request: Parameters<Routes['adopt']>[0]): Promise<SessionRoute> {
    this.adopted.push(request);
    return this.#answer(this.#route(request.relay));
  }

  sweep(): ReturnType<Routes['sweep']> {
    this.sweeps += 1;
    return Promise.resolve({ removed: [], problems: [] });
  }

  /** A relay dies. */
  lose(relay: string, error: KraftError): void {
    this.#lose.get(relay)?.(error);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #answer<T>(value: T): Promise<T> {
    return this.refusal === null ? Promise.resolve(value) : Promise.reject(this.refusal);
  }

  #route(relay: string): SessionRoute {
    return {
      relay,
      lost: new Promise((resolve) => this.#lose.set(relay, resolve)),
      close: () => {
        this.ended.push(`close ${relay}`);
        return Promise.resolve(this.refused);
      },
      release: () => {
        this.onRelease();
        this.ended.push(`release ${relay}`);
      },
    };
  }
}
