import { defineCommand } from '../command.ts';
import { editHosts, hostArguments, hostOptions } from '../edit-hosts.ts';

export const repoDeny = defineCommand({
  description:
    'Keeps sessions of a repository from hosts, whatever its allow list says: puts them on the deny list of its network policy in repos.yaml, and takes the same entries off its allow list. Everything else in the file stays as it is.\nItems that were started keep the lists that they have until `kraft item retry` or `kraft item resume`. Needs no daemon.',
  arguments: hostArguments,
  options: hostOptions,
  examples: [{ line: 'kraft repo deny telemetry.example.com', does: 'No agent or test reaches it.' }],
  run: (parsed, io) => editHosts('deny', parsed, io),
});
