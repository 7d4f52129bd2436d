/** Container, volume and label names and the fixed paths inside containers: made here alone (SI 0.4). */

export const homeLabel = 'kraft.home';
export const roleLabel = 'kraft.role';
export const sessionLabel = 'kraft.session';
/** Id of a relay, on its container. */
export const relayLabel = 'kraft.relay';
/** Version of the protocol that a relay image speaks, on the image and on its containers; absent where it holds socat. */
export const relayProtocolLabel = 'kraft.relay.protocol';

export const containerPaths = {
  /** CA bundle, read-only. */
  caBundle: '/etc/kraft/ca-bundle.pem',
  /** The worker's shim, read-only, first on PATH (network only). */
  shim: '/opt/kraft/bin',
  /** The container's HOME: short, so that sockets under it stay short (PF-R03). */
  home: '/kraft/home',
  /** Results directory of the session, read-write. */
  results: '/kraft/results',
  /** The repository's own objects, read-only, as an alternate; git-lfs finds `../lfs/objects` beside it. */
  alternateObjects: '/kraft/alternate/objects',
  alternateLfs: '/kraft/alternate/lfs',
  /** Folder of an agent's own config files, which are read-only; what is written beside them goes with the container. */
  agentConfig: '/kraft/agent-config',
  oneshotHome: '/kraft/oneshot-home',
} as const;

/** The default `relay_image` of sandbox.yaml, which `kraft admin images build` makes; the same on Docker and on Podman. */
export const relayImage = 'localhost/kraft-relay:latest';

/** Default PATH for an image that sets none (SI 0.4). */
export const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type ContainerRole = 'worker' | 'setup' | 'probe' | 'relay';

export function sessionContainerName(sessionId: string): string {
  return `kraft-${sessionId}`;
}

export function relayContainerName(relayId: string): string {
  return `kraft-relay-${relayId}`;
}

/** Labels of every container that Kraft starts; cleaning up goes by these and never by name. */
export function containerLabels(
  home: string,
  role: ContainerRole,
  sessionId: string | null,
): Readonly<Record<string, string>> {
  return { [homeLabel]: home, [roleLabel]: role, ...(sessionId === null ? {} : { [sessionLabel]: sessionId }) };
}
