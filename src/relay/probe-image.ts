import { relayProtocolLabel, type ContainerSpec, type Engine, type KnownEngineFacts } from '../runtime/index.ts';
import { relayErrors } from './errors.ts';
import { relayProtocol, type RelayProgram, type RelayUser } from './plan.ts';

/** What a relay is started for: sessions that need the same may have each other's. */
export interface RelayNeed {
  readonly engine: Engine;
  readonly facts: KnownEngineFacts;
  /** Image reference; sandbox.yaml's `relay_image`, or Kraft's own. */
  readonly image: string;
  /** As the worker's: the socket's folder is the person's alone. */
  readonly user: RelayUser;
  readonly selinux: ContainerSpec['selinux'];
}

export interface RelayImage {
  readonly id: string;
  readonly program: RelayProgram;
}

/**
 * What the image holds, by its label; nothing is started.
 * Errors: RELAY_IN_VM, RELAY_IMAGE_MISSING, RELAY_PROTOCOL_UNKNOWN, and what the engine throws.
 */
export async function probeRelayImage({ engine, facts, image }: RelayNeed): Promise<RelayImage> {
  if (facts.remote !== null) throw relayErrors.create('RELAY_IN_VM', facts.remote);
  const found = await engine.inspectImage(image);
  if (found === null) throw relayErrors.create('RELAY_IMAGE_MISSING', { image, cli: engine.kind });
  const protocol = found.labels[relayProtocolLabel];
  if (protocol === undefined) return { id: found.id, program: 'socat' };
  checkProtocol(image, protocol);
  return { id: found.id, program: 'kraft' };
}

/** Errors: RELAY_PROTOCOL_UNKNOWN. */
export function checkProtocol(image: string, found: string): void {
  if (found !== relayProtocol)
    throw relayErrors.create('RELAY_PROTOCOL_UNKNOWN', { image, found, known: relayProtocol });
}
