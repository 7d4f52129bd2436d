export type * from './decision.ts';
export { classifyAddress } from './address-class.ts';
export { decide, kraftHost, kraftPort, metadataNames, needsAddresses, selfTestHost } from './decide.ts';
export {
  openDecisionLog,
  readEgressLog,
  type DecisionLog,
  type DecisionRecord,
  type EgressHost,
  type EgressSummary,
} from './decision-log.ts';
export { netDialer, type Dialer } from './dial.ts';
export { egressErrors } from './errors.ts';
export { proxyLimits, type ProxyLimits } from './exchange.ts';
export { findDeadEntries, findDeniedHosts, findLeftOutApexes, type DeadEntry } from './find-dead-entries.ts';
export { parseAuthority, parseHostPort, renderAuthority, type ParsedHostPort } from './host-port.ts';
export type { KraftAnswer, KraftHost, KraftRequest } from './kraft-host.ts';
export { normalizeAddress } from './ip-address.ts';
export { openOwnAddresses, readOwnAddresses, type OwnAddresses, type OwnAddressesOptions } from './own-addresses.ts';
export { openEgressProxy, type EgressProxy, type EgressProxyOptions } from './proxy.ts';
export {
  askSystem,
  openResolver,
  type AskSystem,
  type Lookup,
  type Resolver,
  type ResolverOptions,
  type SessionResolver,
} from './resolver.ts';
export { planEgress, resolveEgressPolicy, type EgressRequest } from './plan-egress.ts';
export {
  explainRefusal,
  listRefusedHosts,
  RefusalDigest,
  renderAllowCommand,
  renderRefusals,
  type Refusal,
  type RefusalMeaning,
  type RefusedHost,
} from './refusals.ts';
export { renderProxyVariables, workerProxy } from './render-proxy-variables.ts';
export { chooseUpstream, planUpstreams, type RequestForm, type Upstream, type Upstreams } from './upstream.ts';
