import { parseHostPattern } from '../config/index.ts';

/** A tool that fetches packages, how it is asked where from, and the files that say it too. Nothing of a repository is run. */
export interface PackageTool {
  readonly name: string;
  /** Words of a setup command that mean it. */
  readonly words: readonly string[];
  /** The program that knows its registry. */
  readonly program: string;
  /** Command lines that print it, tried until one does; none where the tool has no such command. */
  readonly questions: readonly (readonly string[])[];
  /** Asked inside the repository, whose own settings count: only where reading them runs nothing. */
  readonly inRepository: boolean;
  /** What its answer says, as URLs. */
  readonly read: (answer: string) => readonly string[];
  /** Its registry where it is installed and names none. */
  readonly otherwise: string | null;
  /** Files that name URLs, by their base name: the first group of each match is one. */
  readonly files: Readonly<Record<string, RegExp>>;
}

/** A host that a setup command needs, as an entry of an allow list, and how that is known. */
export interface RegistryHost {
  readonly host: string;
  readonly why: string;
}

const urlsOf = (answer: string): readonly string[] => answer.match(/https?:\/\/[^\s,|'"]+/gu) ?? [];
const npmLock = /"resolved":\s*"([^"]+)"/gu;
const tomlUrls = /\b(?:registry|url|git)\s*=\s*"([^"]+)"/gu;
const pypi = 'https://pypi.org/simple';

const plainTool = (name: string, more: Partial<PackageTool>): PackageTool => ({
  name,
  words: [name],
  program: name,
  questions: [],
  inRepository: false,
  read: urlsOf,
  otherwise: null,
  files: {},
  ...more,
});

export const packageTools: readonly PackageTool[] = [
  plainTool('npm', {
    words: ['npm', 'npx', 'bun', 'bunx'],
    questions: [['config', 'get', 'registry']],
    inRepository: true,
    files: { 'package-lock.json': npmLock, 'npm-shrinkwrap.json': npmLock, 'bun.lock': /"(https:\/\/[^"]+)"/gu },
  }),
  // Neither is asked inside the repository, which may hold the program that would answer.
  plainTool('pnpm', {
    questions: [['config', 'get', 'registry']],
    files: { 'pnpm-lock.yaml': /\btarball:\s*['"]?([^'",}\s]+)/gu },
  }),
  plainTool('yarn', {
    questions: [
      ['config', 'get', 'registry'],
      ['config', 'get', 'npmRegistryServer'],
    ],
    files: {
      'yarn.lock': /^\s+resolved "([^"]+)"/gmu,
      '.yarnrc.yml': /^npmRegistryServer:\s*["']?([^"'\s]+)/gmu,
    },
  }),
  plainTool('pip', {
    words: ['pip', 'pip3'],
    questions: [['config', 'list']],
    read: (answer) =>
      [...answer.matchAll(/\.(?:extra-)?index-url='([^']*)'/gu)].flatMap((match) => urlsOf(match[1] ?? '')),
    otherwise: pypi,
    files: { 'requirements.txt': /^\s*(?:-i|--index-url|--extra-index-url)[\s=]+(\S+)/gmu },
  }),
  plainTool('uv', { words: ['uv', 'uvx'], files: { 'uv.lock': tomlUrls } }),
  plainTool('poetry', { otherwise: pypi, files: { 'poetry.lock': tomlUrls } }),
  plainTool('pdm', { otherwise: pypi, files: { 'pdm.lock': tomlUrls } }),
  plainTool('pipenv', { files: { 'Pipfile.lock': /"url":\s*"([^"]+)"/gu } }),
  plainTool('cargo', {
    otherwise: 'https://index.crates.io/',
    files: { 'Cargo.lock': /^source = "([^"]+)"/gmu },
  }),
  plainTool('go', { questions: [['env', 'GOPROXY']] }),
  plainTool('bundler', {
    words: ['bundle', 'bundler'],
    program: 'bundle',
    files: { 'Gemfile.lock': /^\s+remote: (\S+)/gmu },
  }),
  plainTool('composer', {
    otherwise: 'https://repo.packagist.org/',
    files: { 'composer.lock': /"dist":\s*\{[^{}]*?"url":\s*"([^"]+)"/gu },
  }),
];

/** Hosts that one registry spreads over. */
const companions: Readonly<Record<string, readonly string[]>> = {
  'pypi.org': ['files.pythonhosted.org'],
  'index.crates.io': ['static.crates.io'],
  'rubygems.org': ['index.rubygems.org'],
  'proxy.golang.org': ['sum.golang.org'],
  'api.github.com': ['codeload.github.com'],
};

/** The tools that a setup command names; for one that names none (a task of the repository), those of its lockfiles. */
export function listPackageTools(setupCommand: string, markers: readonly string[]): readonly PackageTool[] {
  const words = new Set((setupCommand.match(/[\w./-]+/gu) ?? []).map(baseName));
  const named = packageTools.filter((tool) => tool.words.some((word) => words.has(word)));
  if (named.length > 0 || setupCommand === '') return named;
  const files = new Set(markers.map(baseName));
  return packageTools.filter((tool) => Object.keys(tool.files).some((file) => files.has(file)));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The hosts of URLs, each once, with those that go with them. What an allow list cannot name is left out. */
export function listRegistryHosts(urls: readonly string[], why: string): readonly RegistryHost[] {
  const hosts = new Map<string, string>();
  for (const url of urls) {
    const host = hostOf(url);
    if (host === null || hosts.has(host)) continue;
    hosts.set(host, why);
    for (const companion of companions[host] ?? [])
      if (!hosts.has(companion)) hosts.set(companion, `goes with ${host}`);
  }
  return [...hosts].map(([host, reason]) => ({ host, why: reason }));
}

/** `host`, or `host:port` for a port that is not the scheme's; null for what a proxy cannot carry. */
function hostOf(written: string): string | null {
  // `sparse+https://…` of cargo, `git+https://…`.
  const url = URL.parse(written.replace(/^[a-z]+\+/u, ''));
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return null;
  // The old name of the index, which every Cargo.lock has and nothing asks for any more.
  const isCratesIndex = `${url.hostname}${url.pathname}` === 'github.com/rust-lang/crates.io-index';
  const text = isCratesIndex ? 'index.crates.io' : `${url.hostname}${url.port === '' ? '' : `:${url.port}`}`;
  const parsed = parseHostPattern(text);
  return parsed.kind === 'pattern' && parsed.pattern.host.kind === 'exact' ? parsed.pattern.text : null;
}

/** The URLs that a file of a tool names. */
export function listFileUrls(tool: PackageTool, path: string, text: string): readonly string[] {
  const pattern = tool.files[baseName(path)];
  return pattern === undefined ? [] : [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}
