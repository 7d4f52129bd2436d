/** The forge of a remote, as far as its address tells. */
export interface ForgeFacts {
  readonly forge: 'github' | 'gitlab';
  /** Path of the project on the forge, without `.git`. */
  readonly project: string;
}

/**
 * Reads a remote's address: a URL, or `user@host:path` as scp takes it. Null for a local path, another forge, or what
 * cannot be read. Names and passwords in the address are dropped.
 */
export function forgeOf(originUrl: string): ForgeFacts | null {
  const { host, path } = parseRemote(originUrl.trim()) ?? { host: '', path: '' };
  const project = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  const labels = host.toLowerCase().split('.');
  const forge = (['github', 'gitlab'] as const).find((name) => labels.includes(name));
  return forge === undefined || project === '' ? null : { forge, project };
}

function parseRemote(address: string): { readonly host: string; readonly path: string } | null {
  if (/^(?:https?|ssh|git):\/\//.test(address)) {
    const url = URL.parse(address);
    return url === null ? null : { host: url.hostname, path: url.pathname };
  }
  const match = /^(?:[^@/:\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)(\S+)$/.exec(address);
  return match === null ? null : { host: match[1] ?? '', path: match[2] ?? '' };
}
