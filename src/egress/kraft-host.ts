/** Who answers on the host `kraft`: for one session, whatever the request says of itself. */
export interface KraftHost {
  /** Never rejects, and answers within its own bound in time. */
  answer(request: KraftRequest): Promise<KraftAnswer>;
}

/** A request for Kraft itself, with its whole body. */
export interface KraftRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By lower-case name; of one that came more than once, the last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type KraftAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly contentType: string; readonly body: string }
  /** Not for a worker to ask: becomes a 403 and a recorded refusal. `route` is `METHOD path`, safe to print. */
  | { readonly kind: 'refused'; readonly route: string; readonly reason: string };
