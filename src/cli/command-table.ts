import type { Command } from './command.ts';

/** One verb of the table: how it is typed, what it is for, and its file, which is loaded when it is run. */
export interface CommandEntry {
  readonly words: readonly string[];
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Groups, for help. */
export const groups: readonly { readonly name: string; readonly summary: string }[] = [
  { name: 'repo', summary: 'Connect repositories' },
  { name: 'item', summary: 'File work items and take them on' },
  { name: 'view', summary: 'See items, logs, events and diffs' },
  { name: 'admin', summary: 'The daemon, the doctor, images' },
];

const entry = (words: string, summary: string, load: CommandEntry['load']): CommandEntry => ({
  words: words.split(' '),
  summary,
  load,
});

/** Every verb, in the order of help. */
export const commandTable: readonly CommandEntry[] = [
  entry(
    'repo connect',
    'Connect a git repository',
    async () => (await import('./commands/repo-connect.ts')).repoConnect,
  ),
  entry('repo list', 'List connected repositories', async () => (await import('./commands/repo-list.ts')).repoList),
  entry(
    'repo disconnect',
    'Take a repository out of Kraft',
    async () => (await import('./commands/repo-disconnect.ts')).repoDisconnect,
  ),
  entry(
    'repo check-host',
    'Say whether sessions may reach a host',
    async () => (await import('./commands/repo-check-host.ts')).repoCheckHost,
  ),
  entry('repo allow', 'Let sessions reach hosts', async () => (await import('./commands/repo-allow.ts')).repoAllow),
  entry('repo deny', 'Keep sessions from hosts', async () => (await import('./commands/repo-deny.ts')).repoDeny),
  entry(
    'repo path',
    'Print the path of an item’s worktree',
    async () => (await import('./commands/repo-path.ts')).repoPath,
  ),
  entry('item create', 'File a work item', async () => (await import('./commands/item-create.ts')).itemCreate),
  entry('item start', 'Start an item that was filed', async () => (await import('./commands/item-start.ts')).itemStart),
  entry('item pause', 'Pause a running item', async () => (await import('./commands/item-pause.ts')).itemPause),
  entry('item resume', 'Go on with a paused item', async () => (await import('./commands/item-resume.ts')).itemResume),
  entry('item retry', 'Try a stopped item again', async () => (await import('./commands/item-retry.ts')).itemRetry),
  entry(
    'item skip',
    'Pass over a node, gate, step or task',
    async () => (await import('./commands/item-skip.ts')).itemSkip,
  ),
  entry(
    'item approve',
    'Approve what an item waits for',
    async () => (await import('./commands/item-approve.ts')).itemApprove,
  ),
  entry(
    'item reject',
    'Send an item back with what is to be done',
    async () => (await import('./commands/item-reject.ts')).itemReject,
  ),
  entry(
    'item comment',
    'Comment on a line of what an item changed',
    async () => (await import('./commands/item-comment.ts')).itemComment,
  ),
  entry(
    'item review',
    'Submit your comments, with an answer or none',
    async () => (await import('./commands/item-review.ts')).itemReview,
  ),
  entry('item reply', 'Reply in a review thread', async () => (await import('./commands/item-reply.ts')).itemReply),
  entry('item resolve', 'Settle a review thread', async () => (await import('./commands/item-resolve.ts')).itemResolve),
  entry(
    'item reopen',
    'Open a settled thread again',
    async () => (await import('./commands/item-reopen.ts')).itemReopen,
  ),
  entry(
    'item abandon',
    'Give an item up, with its worktree',
    async () => (await import('./commands/item-abandon.ts')).itemAbandon,
  ),
  entry(
    'item archive',
    'Free what an ended item holds',
    async () => (await import('./commands/item-archive.ts')).itemArchive,
  ),
  entry('view list', 'List items', async () => (await import('./commands/view-list.ts')).viewList),
  entry('view watch', 'Watch items live', async () => (await import('./commands/view-watch.ts')).viewWatch),
  entry('view show', 'Show one item', async () => (await import('./commands/view-show.ts')).viewShow),
  entry(
    'view events',
    'Show what happened to items',
    async () => (await import('./commands/view-events.ts')).viewEvents,
  ),
  entry(
    'view logs',
    'Show the output of an item’s sessions',
    async () => (await import('./commands/view-logs.ts')).viewLogs,
  ),
  entry('view diff', 'Show what an item changed', async () => (await import('./commands/view-diff.ts')).viewDiff),
  entry(
    'view egress',
    'Show what an item’s sessions asked the network for',
    async () => (await import('./commands/view-egress.ts')).viewEgress,
  ),
  entry(
    'view threads',
    'Show the review threads of an item',
    async () => (await import('./commands/view-threads.ts')).viewThreads,
  ),
  entry('admin start', 'Start the daemon', async () => (await import('./commands/admin-start.ts')).adminStart),
  entry(
    'admin stop',
    'Stop the daemon; sessions go on',
    async () => (await import('./commands/admin-stop.ts')).adminStop,
  ),
  entry(
    'admin health',
    'Ask the daemon how it is',
    async () => (await import('./commands/admin-health.ts')).adminHealth,
  ),
  entry(
    'admin doctor',
    'Check host and repositories',
    async () => (await import('./commands/admin-doctor.ts')).adminDoctor,
  ),
  entry(
    'admin storage',
    'Show what items hold on the disk',
    async () => (await import('./commands/admin-storage.ts')).adminStorage,
  ),
  entry(
    'admin images build',
    'Build Kraft’s images on this machine',
    async () => (await import('./commands/admin-images-build.ts')).adminImagesBuild,
  ),
  entry(
    'admin images list',
    'List Kraft’s images on this machine',
    async () => (await import('./commands/admin-images-list.ts')).adminImagesList,
  ),
  entry(
    'admin chains lint',
    'Check chain files',
    async () => (await import('./commands/admin-chains-lint.ts')).adminChainsLint,
  ),
  entry(
    'admin chains show',
    'Show a chain and what of it runs',
    async () => (await import('./commands/admin-chains-show.ts')).adminChainsShow,
  ),
  entry(
    'admin explain',
    'Explain an error code',
    async () => (await import('./commands/admin-explain.ts')).adminExplain,
  ),
  entry(
    'admin completion',
    'Print a shell completion script',
    async () => (await import('./commands/admin-completion.ts')).adminCompletion,
  ),
];

/** `kraft repo connect`. */
export function renderName(entry: CommandEntry): string {
  return ['kraft', ...entry.words].join(' ');
}
