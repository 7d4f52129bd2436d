import { proposeCommands, type Proposal, type RepositoryFiles } from '../detect/index.ts';
import { gitErrors, type Git, type Repository, type RepositoryProbe } from '../git/index.ts';

/** What the files of a repository propose, and the commit that was looked at. */
export interface FoundProposal extends Proposal, RepositoryFiles {
  /** `origin/main`, or `HEAD`. */
  readonly readFrom: string;
}

const fileMaxBytes = 4 * 1024 * 1024;
const totalMaxBytes = 64 * 1024 * 1024;

/**
 * Reads the commit that items start from, never the working copy. Errors: those of git; NOT_A_REPOSITORY.
 */
export async function proposeFor(git: Git, path: string): Promise<FoundProposal> {
  const probe = await git.probeRepository(path);
  const { repository } = probe;
  if (repository === null) {
    throw probe.problem ?? gitErrors.create('NOT_A_REPOSITORY', { path, why: 'no git directory was found' });
  }
  const base = await findBase(git, probe, repository);
  let leftBytes = totalMaxBytes;
  const files: RepositoryFiles = {
    files: base.files,
    read: async (file) => {
      const text = await git.readBlob(repository, base.commit, file, Math.min(fileMaxBytes, leftBytes));
      leftBytes -= text?.length ?? 0;
      return text;
    },
  };
  return { ...(await proposeCommands(files)), ...files, readFrom: base.name };
}

interface Base {
  readonly commit: string;
  readonly name: string;
  readonly files: readonly string[];
}

/** Items start from origin's default branch; a repository without an origin, or never fetched, from what is checked out. */
async function findBase(git: Git, probe: RepositoryProbe, repository: Repository): Promise<Base> {
  const list = async (commit: string, name: string): Promise<Base> => ({
    commit,
    name,
    files: (await git.listTree(repository, commit)).map((file) => file.path),
  });
  const { originUrl, defaultBranch } = probe;
  if (originUrl !== null && defaultBranch !== null) {
    const fetched = await list(`refs/remotes/origin/${defaultBranch}`, `origin/${defaultBranch}`).catch(() => null);
    if (fetched !== null) return fetched;
  }
  return list('HEAD', defaultBranch === null ? 'HEAD' : `HEAD (${defaultBranch})`);
}
