/** What a host name is by its spelling alone. */
export interface ParsedHostName {
  /** Its last label is a number, so that resolvers read all of it as an IPv4 address. */
  readonly numeric: boolean;
  /** Null for a good name or address; else the end of a sentence whose subject is the name. */
  readonly problem: string | null;
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const octet = /^(?:0|[1-9][0-9]{0,2})$/;
const nameLengthMax = 253;

/**
 * The one grammar of host names and IPv4 addresses, for the lists of repos.yaml and for what a worker asks for alike
 * (PF-E02): lower case, no trailing dot, and one spelling for one host.
 */
export function parseHostName(name: string): ParsedHostName {
  const labels = name.split('.');
  // Another spelling of an IPv4 address (127.1, 0x7f000001) would pass as a name and be resolved as that address.
  const numeric = /^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  if (name.length > nameLengthMax || !labels.every((part) => label.test(part))) {
    return { numeric, problem: 'is not a valid host name' };
  }
  const plain = labels.length === 4 && labels.every((part) => octet.test(part) && Number(part) <= 255);
  return { numeric, problem: numeric && !plain ? 'is not a plain IPv4 address' : null };
}

/** Lower case of ASCII letters alone. `toLowerCase` turns some other characters (the Kelvin sign) into ASCII ones. */
export function lowerCaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
