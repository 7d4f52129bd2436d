import type { EgressRefusal } from '../events/index.ts';
import type { Phase } from '../config/index.ts';
import type { Decision } from './decision.ts';
import { classifyAddress } from './address-class.ts';
import { kraftHost, metadataNames, selfTestHost } from './decide.ts';
import { renderAuthority } from './host-port.ts';
import { normalizeAddress } from './ip-address.ts';

/** What a refusal means for the one who asked, and for the person who may change it. */
export interface RefusalMeaning {
  /** Whether no allow entry would change it. */
  readonly final: boolean;
  /** One clause: what would have to change, or why nothing can. */
  readonly remedy: string;
}

type Refused = Pick<Decision, 'host' | 'port' | 'phase'> & { readonly reason: string };

/** What would open a refused host. `repo` is a path for the command line, or null where it is run in the repository. */
export function explainRefusal(refused: Refused, repo: string | null): RefusalMeaning {
  if (refused.host === kraftHost) return { final: true, remedy: 'Kraft itself is reached as http://kraft alone' };
  if (refused.host === selfTestHost) return { final: true, remedy: 'this name is refused to show that refusing works' };
  // The lists are asked before addresses are, so the reason may be one that an entry would only replace.
  if (isNeverReached(refused.host)) return { final: true, remedy: neverOpened };
  switch (refused.reason) {
    case 'on the deny list':
      return { final: true, remedy: `the deny list of the ${refused.phase} phase in repos.yaml names it` };
    case 'not on the allow list':
    case 'a non-public address without an exact allow entry':
      return refused.host.includes(':')
        ? { final: true, remedy: 'lists name no IPv6 addresses; ask for the host by its name' }
        : { final: false, remedy: `\`${renderAllowCommand(refused, repo)}\` allows it` };
    default:
      return { final: true, remedy: neverOpened };
  }
}

const neverOpened = 'no list can open it';

function isNeverReached(host: string): boolean {
  return metadataNames.has(host) || (normalizeAddress(host) !== null && classifyAddress(host, new Set()) === 'never');
}

/** The command that allows a host and port in the phase in which it was refused. */
export function renderAllowCommand(host: Pick<Decision, 'host' | 'port' | 'phase'>, repo: string | null): string {
  const phase = host.phase === 'runtime' ? '' : ` --phase ${host.phase}`;
  return `kraft repo allow ${renderAuthority(host)}${phase}${repo === null ? '' : ` --repo ${quoteWord(repo)}`}`;
}

function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A host and port that one session was refused. */
export interface RefusedHost {
  readonly host: string;
  readonly port: number;
  readonly phase: Phase;
  readonly reason: string;
  /** How many times. */
  readonly count: number;
}

/** One refusal of a session: a host, or a call of Kraft's own API. */
export type Refusal =
  | { readonly kind: 'host'; readonly decision: Decision }
  | {
      readonly kind: 'route';
      /** `METHOD path`. */
      readonly route: string;
      readonly reason: string;
    };

const keysMax = 100;
const routeLengthMax = 256;

/**
 * What is recorded of a session's refusals (SI 4.8): one event for each host, whatever the port, and for each route;
 * after 100 of them a last one that says so. Memory is bounded by that. Refusing is not its part and never stops.
 */
export class RefusalDigest {
  readonly #session: { readonly id: string; readonly phase: Phase };
  readonly #keys = new Set<string>();
  readonly #hosts = new Map<string, RefusedHost>();
  #suppressed = false;

  constructor(session: { readonly id: string; readonly phase: Phase }) {
    this.#session = session;
  }

  /** The payload of the event to record, or null when this one is already recorded or there were too many. */
  take(refusal: Refusal): EgressRefusal | null {
    const route = refusal.kind === 'route' ? refusal.route.slice(0, routeLengthMax) : null;
    const target = refusal.kind === 'route' ? { host: kraftHost, port: 80 } : refusal.decision;
    const reason = refusal.kind === 'route' ? refusal.reason : refusal.decision.reason;
    if (refusal.kind === 'host') this.#count(refusal.decision);
    const key = route ?? `host ${target.host}`;
    if (this.#keys.has(key)) return null;
    const { id: session_id, phase } = this.#session;
    if (this.#keys.size >= keysMax) {
      if (this.#suppressed) return null;
      this.#suppressed = true;
      return { session_id, phase, suppressed: true, reason: `more than ${keysMax} hosts and routes were refused` };
    }
    this.#keys.add(key);
    const payload = { session_id, host: target.host, port: target.port, phase, reason };
    return route === null ? payload : { ...payload, route };
  }

  /** The hosts refused so far with their ports and counts, in the order in which they were first refused. */
  hosts(): readonly RefusedHost[] {
    return [...this.#hosts.values()];
  }

  #count(decision: Decision): void {
    const { host, port, phase, reason } = decision;
    const key = renderAuthority(decision);
    const count = (this.#hosts.get(key)?.count ?? 0) + 1;
    if (count > 1 || this.#hosts.size < keysMax) this.#hosts.set(key, { host, port, phase, reason, count });
  }
}

/** The refused hosts that an event log holds of one session, counted where an event stands for each. */
export function listRefusedHosts(payloads: readonly EgressRefusal[]): readonly RefusedHost[] {
  const hosts = new Map<string, RefusedHost>();
  for (const payload of payloads) {
    if (!('host' in payload) || 'route' in payload) continue;
    const { host, port, phase, reason } = payload;
    const key = `${phase} ${renderAuthority(payload)}`;
    hosts.set(key, { host, port, phase, reason, count: (hosts.get(key)?.count ?? 0) + 1 });
  }
  return [...hosts.values()];
}

/**
 * Lines for the end of a session's log and for a stop: each refused host with its reason and, where one would open it,
 * the command; a refusal alone stops nothing. Empty when nothing was refused.
 */
export function renderRefusals(hosts: readonly RefusedHost[], repo: string | null): readonly string[] {
  if (hosts.length === 0) return [];
  const lines = hosts.map((refused) => {
    const times = refused.count === 1 ? '' : `, ${refused.count} times`;
    const { remedy } = explainRefusal(refused, repo);
    return `  ${renderAuthority(refused)}: ${refused.reason}${times}; ${remedy}`;
  });
  return ['The network policy refused these hosts:', ...lines];
}
