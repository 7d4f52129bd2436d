import { defineCommand } from '../command.ts';
import { editHosts, hostArguments, hostOptions } from '../edit-hosts.ts';

export const repoAllow = defineCommand({
  description:
    'Lets sessions of a repository reach hosts: puts them on the allow list of its network policy in repos.yaml, and takes the same entries off its deny list. Everything else in the file stays as it is.\nItems that were started keep the lists that they have until `kraft item retry` or `kraft item resume`. Needs no daemon.',
  arguments: hostArguments,
  options: hostOptions,
  examples: [
    { line: 'kraft repo allow api.github.com', does: 'Agents and tests reach it on every port.' },
    {
      line: 'kraft repo allow packages.example.org:443 --phase install',
      does: 'The setup command reaches it, on that port.',
    },
  ],
  run: (parsed, io) => editHosts('allow', parsed, io),
});
