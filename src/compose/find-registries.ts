import {
  listFileUrls,
  listPackageTools,
  listRegistryHosts,
  type PackageTool,
  type RegistryHost,
} from '../detect/index.ts';
import { findProgram, run, runRequest } from '../process/index.ts';
import type { FoundProposal } from './propose.ts';

/** The hosts that a repository's setup command is known to need. */
export interface FoundRegistries {
  readonly hosts: readonly RegistryHost[];
  /** Why a tool that the command names added nothing, as sentences. */
  readonly notes: readonly string[];
}

export interface RegistrySearch {
  /** `''`: there is none. */
  readonly setupCommand: string;
  readonly proposal: FoundProposal;
  /** The person's own environment: their tools answer as they do for them. */
  readonly variables: Readonly<Record<string, string>>;
  /** The repository. */
  readonly root: string;
}

const answerTimeoutMs = 15_000;
const answerMaxBytes = 64 * 1024;
const filesMax = 20;
const hostsMax = 50;

/** Nothing is fetched and no other version of a tool is started only to be asked. */
const quiet = {
  npm_config_update_notifier: 'false',
  COREPACK_ENABLE_NETWORK: '0',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  GOTOOLCHAIN: 'local',
};

/**
 * Asks each tool that the setup command names for its registry, and reads its lockfiles in the commit that was looked at.
 * What is not known is left out: the person completes it. Errors: those of git.
 */
export async function findRegistries(search: RegistrySearch): Promise<FoundRegistries> {
  const markers = search.proposal.setup.flatMap(({ marker }) => marker.split(', '));
  const found = await Promise.all(listPackageTools(search.setupCommand, markers).map((tool) => findFor(tool, search)));
  const hosts = new Map(
    found
      .flatMap(({ hosts: each }) => each)
      .map((each) => [each.host, each] as const)
      .toReversed(),
  );
  const all = [...hosts.values()].toReversed();
  return {
    hosts: all.slice(0, hostsMax),
    notes: [
      ...found.flatMap(({ notes }) => notes),
      ...(all.length > hostsMax ? [`${all.length - hostsMax} further hosts of lockfiles were left out.`] : []),
    ],
  };
}

async function findFor(tool: PackageTool, search: RegistrySearch): Promise<FoundRegistries> {
  const [asked, locked] = await Promise.all([askTool(tool, search), readFiles(tool, search)]);
  const hosts = [...asked, ...locked];
  const notes = hosts.length > 0 ? [] : [`${tool.name} was not asked for its registry, or named none.`];
  return { hosts, notes };
}

async function askTool(tool: PackageTool, { variables, root }: RegistrySearch): Promise<readonly RegistryHost[]> {
  const program = findProgram(tool.program, variables['PATH'] ?? '');
  if (program === null) return [];
  let started = tool.questions.length === 0;
  for (const args of tool.questions) {
    const result = await run(
      runRequest(
        program,
        args,
        { ...variables, ...quiet },
        {
          cwd: tool.inRepository ? root : '/',
          timeoutMs: answerTimeoutMs,
          outputMaxBytes: answerMaxBytes,
        },
      ),
    );
    const urls = result.exitCode === 0 ? tool.read(result.stdout) : [];
    if (urls.length > 0) return listRegistryHosts(urls, `\`${tool.program} ${args.join(' ')}\``);
    started ||= result.exitCode === 0;
  }
  return started && tool.otherwise !== null
    ? listRegistryHosts([tool.otherwise], `where ${tool.name} fetches from`)
    : [];
}

async function readFiles(tool: PackageTool, { proposal }: RegistrySearch): Promise<readonly RegistryHost[]> {
  const names = new Set(Object.keys(tool.files));
  const paths = proposal.files.filter((path) => names.has(path.slice(path.lastIndexOf('/') + 1)) && isNear(path));
  const hosts: RegistryHost[] = [];
  for (const path of paths.slice(0, filesMax)) {
    const text = await proposal.read(path);
    if (text !== null) hosts.push(...listRegistryHosts(listFileUrls(tool, path, text), path));
  }
  return hosts;
}

/** Where setup commands are looked for: two directories down, and not in other people's code. */
function isNear(path: string): boolean {
  return path.split('/').length <= 3 && !/(?:^|\/)(?:node_modules|vendor|third_party)\//u.test(path);
}
