import { safeLine } from '../base/index.ts';
import type { ConnectedCommand, ConnectReport } from '../compose/index.ts';
import { renderBlock } from './render-table.ts';
import type { Style } from './terminal.ts';

const headings: Readonly<Record<ConnectReport['outcome'], string>> = {
  connected: 'connected',
  completed: 'already connected, completed',
  already_connected: 'already connected',
};

/** `repo connect`: what was written, where each command came from, what else was found, and what to know. */
export function renderConnect(report: ConnectReport, style: Style): string {
  const parts = [`${style.bold(`${headings[report.outcome]}:`)} ${safeLine(report.path)}\n`];
  if (report.namedWorktree !== null) {
    parts.push(
      `${safeLine(report.namedWorktree)} is a linked worktree of it; its main checkout is what is connected.\n`,
    );
  }
  parts.push(
    renderBlock([
      ['  test command', renderCommand(report.test, 'kraft repo connect --test-command C, or --no-tests')],
      ['  setup command', renderCommand(report.setup, 'kraft repo connect --setup-command C')],
      [
        '  image',
        report.image === null ? 'none: name one with `kraft repo connect --image REF`' : safeLine(report.image),
      ],
      ['  read from', safeLine(report.readFrom)],
    ]),
  );
  parts.push(...renderNetwork(report, style));
  for (const scope of report.scopes) {
    parts.push(`  tests of ${safeLine(scope.paths.join(', '))}: ${safeLine(scope.command)}\n`);
  }
  parts.push(...renderFound('test', report.test), ...renderFound('setup', report.setup));
  for (const warning of report.warnings) parts.push(`${style.yellow('warning:')} ${safeLine(warning)}\n`);
  if ([report.test, report.setup].some((each) => each.origin === 'proposed')) {
    parts.push('Check the proposed commands before you trust them; they lie in repos.yaml.\n');
  }
  return parts.join('');
}

function renderCommand(command: ConnectedCommand, remedy: string): string {
  if (command.command === null)
    return `none found${command.note === null ? '' : ` (${safeLine(command.note)})`}; say it with \`${remedy}\``;
  const text = command.command === '' ? 'none' : safeLine(command.command);
  if (command.origin === 'given') return `${text}  (as you said)`;
  if (command.origin === 'kept') return `${text}  (as it stood in repos.yaml)`;
  return `${text}  (from ${safeLine(command.marker ?? 'the repository')})`;
}

function renderFound(kind: string, command: ConnectedCommand): readonly string[] {
  return command.alsoFound.map(
    (each) => `  also found for ${kind}: ${safeLine(each.command)} (from ${safeLine(each.marker)})\n`,
  );
}

/** What was written about the network and why, and what completes it. */
function renderNetwork({ network, path }: ConnectReport, style: Style): readonly string[] {
  if (network === null) return [];
  const { lists, origin, found, notes } = network;
  if (lists === null) {
    return [`  network: open, containers reach everything${origin === 'kept' ? ' (as it stood in repos.yaml)' : ''}\n`];
  }
  if (origin === 'kept') {
    const count = lists.install.allow.length + lists.runtime.allow.length;
    return [`  network: only listed hosts, ${count} allowed (as it stood in repos.yaml)\n`];
  }
  return [
    '  network: agents and tests reach what the agent’s harness needs, and nothing else\n',
    ...(found.length === 0 ? ['  the setup command reaches nothing\n'] : []),
    ...found.map(({ host, why }) => `  the setup command reaches ${safeLine(host)} (${safeLine(why)})\n`),
    ...notes.map((note) => `${style.yellow('note:')} ${safeLine(note)}\n`),
    `What else the setup command needs: \`kraft repo allow HOST --phase install --repo ${safeLine(path)}\`\n`,
  ];
}
