export { openRelays, type RelayLease, type Relays, type RelaysOptions } from './pool.ts';
export { joinRelay, relayAddress, relayProtocol, type RelayUser } from './plan.ts';
export type { RelayNeed } from './probe-image.ts';
export { relayTiming, type RelayTiming } from './start.ts';
export { relayErrors } from './errors.ts';
