import type { PublicRepo } from '../../compose/index.ts';
import { defineCommand, jsonOption, type Io } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findRepoOf } from '../find-repo.ts';
import { printJson } from '../print-json.ts';
import { plain, renderTable } from '../render-table.ts';

export const repoList = defineCommand({
  description: 'Lists connected repositories; `*` marks the one of the working directory. Needs no daemon.',
  arguments: [],
  options: jsonOption,
  examples: [{ line: 'kraft repo list', does: 'Every connected repository with its chain and image.' }],
  async run(parsed, io) {
    const { openRepos } = await import('../../compose/index.ts');
    const repos = await (await openRepos(io)).list();
    if (parsed.options.json) printJson(io, repos);
    else if (repos.length === 0) io.out('No repository is connected. Connect one with `kraft repo connect PATH`.\n');
    else io.out(renderRepos(repos, io));
    return exitCodes.ok;
  },
});

function renderRepos(repos: readonly PublicRepo[], io: Io): string {
  const here = findRepoOf(io.cwd, repos);
  return renderTable(
    ['', 'NAME', 'STATE', 'CHAIN', 'SANDBOX', 'PATH'].map((heading) => ({ heading, shrinks: heading === 'PATH' })),
    repos.map((repo) =>
      [
        repo === here ? '*' : '',
        repo.label,
        repo.enabled ? 'enabled' : 'disabled',
        repo.defaultChain,
        renderSandbox(repo),
        repo.path,
      ].map(plain),
    ),
    { columns: io.terminal.columns, heading: (text) => io.style.bold(text) },
  );
}

function renderSandbox({ sandbox }: PublicRepo): string {
  if (sandbox === null) return '(none)';
  return sandbox.kind === 'docker' ? sandbox.image : sandbox.kit;
}
