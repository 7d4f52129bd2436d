/** A request on the host `kraft`, as the proxy has read it. */
export interface WorkerRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By lower-case name. What says who asks is not looked at: the channel says it. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

/** What the proxy sends back. */
export type WorkerAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly contentType: string; readonly body: string }
  /** For a 403 and an event, once per route: `route` is `METHOD path`, at most 256 characters and safe to print. */
  | { readonly kind: 'refused'; readonly route: string; readonly reason: string };
