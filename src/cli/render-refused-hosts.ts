/** Hosts that are shown; `view egress` has all. */
const shownMax = 8;

/** The `refused_hosts` of a stop, one row each with what opens it. What they hold is not made safe here. */
export function renderRefusedHosts(
  facts: Readonly<Record<string, unknown>>,
  itemId: string,
): readonly (readonly [string, string])[] {
  const hosts = readHosts(facts['refused_hosts']);
  const leftOut = typeof facts['refused_hosts_left_out'] === 'number' ? facts['refused_hosts_left_out'] : 0;
  const lines = hosts
    .slice(0, shownMax)
    .map(({ host, port, phase, reason, remedy }) => `${host}:${port} (${phase}): ${reason}; ${remedy}`);
  const more = hosts.length - lines.length + leftOut;
  if (more > 0) lines.push(`and ${more} more (see \`kraft view egress ${itemId}\`)`);
  return lines.map((line, at) => [at === 0 ? 'refused' : '', line] as const);
}

interface Refused {
  readonly host: string;
  readonly port: number;
  readonly phase: string;
  readonly reason: string;
  readonly remedy: string;
}

/** Facts are recorded as they were and read as they are: what does not look like a host is left out. */
function readHosts(value: unknown): readonly Refused[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return [];
    const { host, port, phase, reason, remedy } = each as Partial<Record<keyof Refused, unknown>>;
    const words = { host, phase, reason, remedy };
    if (typeof port !== 'number' || !Object.values(words).every((word) => typeof word === 'string')) return [];
    return [{ ...(words as Omit<Refused, 'port'>), port }];
  });
}
