import {
  containerLabels,
  relayContainerName,
  relayLabel,
  relayProtocolLabel,
  type ContainerSpec,
  type EngineFacts,
} from '../runtime/index.ts';

/** Where a worker finds its relay, inside the namespace that they share (SI 0.4). */
export const relayAddress = { host: '127.0.0.1', port: 3128 } as const;

/** Version of what Kraft and its own relay say to each other: `images/relay/README.md`. */
export const relayProtocol = '1';

/** What a relay image holds: Kraft's own relay, which says when it listens, or `socat`. */
export type RelayProgram = 'kraft' | 'socat';

/** Who a container runs as. */
export type RelayUser = Pick<ContainerSpec, 'user' | 'userNamespace'>;

export interface RelayPlan {
  /** Resolved KRAFT_HOME, for the label. */
  readonly home: string;
  readonly relayId: string;
  /** Folder of the channel's sockets, on the host and inside alike. */
  readonly directory: string;
  readonly image: string;
  readonly program: RelayProgram;
  readonly user: RelayUser;
  readonly selinux: ContainerSpec['selinux'];
  readonly enforceable: EngineFacts['enforceable'];
}

const memoryBytes = 64 * 1024 * 1024;
const pids = 256;

/**
 * The container of a relay (SI 3.1): no network, nothing writable but the folder of its sockets, no log, no restart
 * policy. The folder is mounted and not a socket in it, so that a daemon that comes back can make the socket anew.
 */
export function planRelay(plan: RelayPlan): ContainerSpec & { readonly name: string } {
  const enforced = (limit: 'memory' | 'swap' | 'pids'): boolean =>
    plan.enforceable !== 'unknown' && plan.enforceable.has(limit);
  return {
    name: relayContainerName(plan.relayId),
    labels: {
      ...containerLabels(plan.home, 'relay', null),
      [relayLabel]: plan.relayId,
      ...(plan.program === 'kraft' ? { [relayProtocolLabel]: relayProtocol } : {}),
    },
    image: plan.image,
    ...planProgram(plan),
    user: plan.user.user,
    userNamespace: plan.user.userNamespace,
    mounts: [{ source: plan.directory, target: plan.directory, readOnly: false }],
    tmpfs: {},
    workingDir: null,
    envLiterals: {},
    envNames: [],
    network: 'none',
    limits: {
      cpu: null,
      memoryBytes: enforced('memory') ? memoryBytes : null,
      closeSwap: enforced('swap'),
      pids: enforced('pids') ? pids : null,
    },
    init: false,
    readOnlyRoot: true,
    interactive: false,
    cidFile: null,
    pull: 'never',
    selinux: plan.selinux,
  };
}

function planProgram({ program, directory }: RelayPlan): Pick<ContainerSpec, 'entrypoint' | 'command'> {
  const { host, port } = relayAddress;
  if (program === 'kraft') return { entrypoint: null, command: [String(port), directory] };
  // socat cuts its addresses at these; a backslash takes that meaning away.
  const path = `${directory}/s.sock`.replaceAll(/[\\,:!"'()[\]{}]/gu, '\\$&');
  return {
    entrypoint: 'socat',
    command: [`TCP-LISTEN:${port},bind=${host},fork,reuseaddr`, `UNIX-CONNECT:${path}`],
  };
}

/**
 * How a worker joins a relay's network namespace. On rootless Podman the relay's namespace belongs to the user namespace
 * that was made for the relay, and only who is in that one too may have it.
 */
export function joinRelay(container: string, relayUser: RelayUser): Pick<ContainerSpec, 'network' | 'userNamespace'> {
  const joined = `container:${container}`;
  return { network: joined, userNamespace: relayUser.userNamespace === null ? null : joined };
}
