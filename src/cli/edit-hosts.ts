import { jsonOption, valued, type ArgumentSpec, type Io, type Parsed } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { readRepoOption } from './find-repo.ts';
import { printJson } from './print-json.ts';
import { readPhase } from './read-phase.ts';
import { renderEditedHosts } from './render-hosts.ts';

/** What `repo allow` and `repo deny` take. */
export const hostArguments: readonly ArgumentSpec[] = [
  {
    name: 'HOST[:PORT]',
    required: true,
    many: true,
    help: 'A host, `*.example.com` for one level below it, or `*`; without a port on every port',
  },
];
export const hostOptions = {
  repo: valued('PATH', 'The repository, by path or name (default: that of the working directory)'),
  phase: valued('P', '`runtime` (the default), or `install`: the setup command'),
  ...jsonOption,
} as const;

/** Runs either verb. */
export async function editHosts(
  list: 'allow' | 'deny',
  { arguments: hosts, options }: Parsed<typeof hostOptions>,
  io: Io,
): Promise<number> {
  const phase = readPhase(options.phase, `kraft repo ${list}`);
  const { openRepos } = await import('../compose/index.ts');
  const report = await (
    await openRepos(io)
  ).editHosts({
    repo: readRepoOption(options.repo ?? '.', io.cwd),
    list,
    phase,
    hosts: hosts.filter((host) => host !== null),
  });
  if (options.json) printJson(io, report);
  else io.out(renderEditedHosts(report, io.style));
  return exitCodes.ok;
}
