import { defineCommand, flag, jsonOption, valued } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readRepoOption } from '../find-repo.ts';
import { printJson } from '../print-json.ts';
import { readPhase } from '../read-phase.ts';
import { renderHostCheck } from '../render-hosts.ts';

const command = 'kraft repo check-host';

export const repoCheckHost = defineCommand({
  description:
    'Says whether a session of a repository may reach a host, and by which entry of its lists. Ends with 0 when it may and with 3 when it may not. The name is looked up as the proxy does, since its addresses count. Needs no daemon.',
  arguments: [{ name: 'HOST[:PORT]', required: true, help: 'The host that is asked for (default port: 443)' }],
  options: {
    repo: valued('PATH', 'The repository, by path or name (default: that of the working directory)'),
    phase: valued('P', '`runtime` (the default), or `install`: the setup command'),
    'no-resolve': flag('Decide by the name alone'),
    ...jsonOption,
  },
  examples: [
    { line: 'kraft repo check-host api.github.com', does: 'Whether agents and tests reach it over https.' },
    {
      line: 'kraft repo check-host packages.example.org --phase install --no-resolve',
      does: 'Whether the lists let the setup command ask for it.',
    },
  ],
  async run(parsed, io) {
    const { options } = parsed;
    const phase = readPhase(options.phase, command);
    const { openRepos } = await import('../../compose/index.ts');
    const check = await (
      await openRepos(io)
    ).checkHost({
      repo: readRepoOption(options.repo ?? '.', io.cwd),
      host: parsed.arguments[0] ?? '',
      phase,
      resolve: !options['no-resolve'],
    });
    if (options.json) printJson(io, check.verdict);
    else io.out(renderHostCheck(check, io.style));
    return check.verdict.allow ? exitCodes.ok : exitCodes.refused;
  },
});
