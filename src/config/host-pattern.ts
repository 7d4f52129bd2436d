import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { lowerCaseAscii, parseHostName } from './host-name.ts';

/** What a host pattern covers. Only `parseHostPattern` makes one, so that rules and requests are spelled alike. */
export interface HostPattern {
  /** Canonical: lower case, no surrounding space. */
  readonly text: string;
  readonly host:
    | { readonly kind: 'any' }
    | { readonly kind: 'exact'; readonly name: string }
    /** Exactly one label in front of `suffix`. */
    | { readonly kind: 'one-label'; readonly suffix: string };
  /** Null: every port. */
  readonly port: number | null;
}

export type ParsedHostPattern =
  | { readonly kind: 'pattern'; readonly pattern: HostPattern }
  /** `problem` names the entry and why it is no pattern; `remedy` gives the right form where there is one. */
  | { readonly kind: 'refused'; readonly problem: string; readonly remedy: string };

const grammar = /^(\*\*?|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*)(?::([0-9]{1,5}))?$/;
const general =
  'Write a host (`api.example.com`), one level of hosts (`*.example.com`) or `*`, each with an optional `:port`.';

/** Parses one entry of an allow or deny list (CC 3.4, SI 4.1). What could never match is refused, not kept. */
export function parseHostPattern(written: string): ParsedHostPattern {
  const text = lowerCaseAscii(written.trim());
  const [, name, digits] = grammar.exec(text) ?? [];
  if (name === undefined) return explain(text);
  const port = digits === undefined ? null : Number(digits);
  const host = hostOf(name);
  const problem = portProblem(port) ?? nameProblem(host);
  if (problem !== null) return refuse(text, problem, general);
  return { kind: 'pattern', pattern: { text: port === null ? name : `${name}:${port}`, host, port } };
}

function hostOf(name: string): HostPattern['host'] {
  if (name === '*' || name === '**') return { kind: 'any' };
  return name.startsWith('*.') ? { kind: 'one-label', suffix: name.slice(2) } : { kind: 'exact', name };
}

function refuse(text: string, problem: string, remedy: string): ParsedHostPattern {
  // A URL may carry a password.
  const shown = JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@'));
  return { kind: 'refused', problem: `has the entry ${shown}, which ${problem}`, remedy };
}

function portProblem(port: number | null): string | null {
  return port !== null && (port < 1 || port > 65_535) ? 'names a port that does not exist' : null;
}

function nameProblem(host: HostPattern['host']): string | null {
  if (host.kind === 'any') return null;
  const parsed = parseHostName(host.kind === 'exact' ? host.name : host.suffix);
  if (host.kind === 'one-label' && parsed.numeric) return 'puts a wildcard into an address';
  return parsed.problem;
}

const isAddress = (text: string): boolean => isIPv6(text.replace(/^\[/, '').replace(/\](?::[0-9]+)?$/, ''));

/** Other notations that people write, each with why it is none and the form to write instead. */
const notations: readonly {
  readonly is: (text: string) => boolean;
  readonly problem: string;
  readonly remedy: (text: string) => string;
}[] = [
  { is: (t) => t === '', problem: 'is empty', remedy: () => general },
  {
    is: (t) => /^[a-z][a-z0-9+.-]*:\/\//.test(t),
    problem: 'is a URL',
    remedy: (t) => `Write the host alone: \`${/:\/\/(?:[^/@]*@)?([^/?#]*)/.exec(t)?.[1] ?? ''}\`.`,
  },
  {
    is: (t) => /^[0-9a-f.:[\]]+\/[0-9]{1,3}$/.test(t),
    problem: 'is an address range; ranges are not taken',
    remedy: () => 'Name each host that is to be reached.',
  },
  {
    is: (t) => t.includes('/'),
    problem: 'has a path; only hosts are decided on',
    remedy: (t) => `Write the host alone: \`${t.split('/')[0] ?? ''}\`.`,
  },
  { is: isAddress, problem: 'is an IPv6 address; those are not taken', remedy: () => 'Name the host instead.' },
  { is: (t) => t.includes('_'), problem: 'has an underscore, which no host name has', remedy: () => general },
  {
    is: (t) => /\.(?::[0-9]+)?$/.test(t),
    problem: 'ends with a dot',
    remedy: (t) => `Write \`${t.replace(/\.+(?=:[0-9]+$|$)/, '')}\`.`,
  },
  {
    is: (t) => t.includes('*'),
    problem: 'has a wildcard where none can stand',
    remedy: () => 'A `*.` stands only in front, for exactly one label.',
  },
  {
    is: (t) => /[^\u0000-\u007f]/u.test(t) && domainToASCII(t) !== '',
    problem: 'is not ASCII',
    remedy: (t) => `Write its ASCII form: \`${domainToASCII(t)}\`.`,
  },
];

function explain(text: string): ParsedHostPattern {
  const notation = notations.find(({ is }) => is(text));
  return refuse(text, notation?.problem ?? 'is not a host pattern', notation?.remedy(text) ?? general);
}
