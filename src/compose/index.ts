import type { HomePaths } from '../config/index.ts';
import type { DoctorReport } from '../doctor/index.ts';
import type { Environment } from './environment.ts';
import type { Chains } from './open-chains.ts';
import type { Images } from './open-images.ts';
import type { OpenKraftOptions } from './open-kraft.ts';
import type { Kraft } from './kraft.ts';
import type { AnyCatalogue } from './read-catalogues.ts';
import type { Repos } from './repos.ts';
import type { DaemonProcess } from './start-daemon-process.ts';

export type * from './kraft.ts';
export type * from './repos.ts';
export type { ReviewAnswer, ReviewKraft, ReviewOutcome } from './review-kraft.ts';
export type { WorkerCalls, WorkerIdentity, WorkerItemView } from '../items/index.ts';
export type { Environment } from './environment.ts';
export type { Chains, LintedChain } from './open-chains.ts';
export type { Images } from './open-images.ts';
export type { OpenKraftOptions } from './open-kraft.ts';
export type { AnyCatalogue } from './read-catalogues.ts';
export type { DaemonProcess } from './start-daemon-process.ts';
export type { DoctorOutcome, DoctorReport, DoctorRow } from '../doctor/index.ts';
export type { HomePaths } from '../config/index.ts';
export type { Claim, ItemStatus, ItemStop, Thread, ThreadComment, ThreadView } from '../items/index.ts';
export type { LaunchPlan } from '../launch/index.ts';
export type { SessionRow, Spend } from '../store/index.ts';

// Each door loads what is behind it when it is opened: the command line imports this file and pays for one of them.

/** Makes and checks the directories of a home. Errors: HOME_UNUSABLE, HOME_UNSAFE. */
export async function openHome(environment: Pick<Environment, 'variables' | 'cwd'>): Promise<HomePaths> {
  return (await import('./open-home.ts')).openHome(environment);
}

/** Opens the facade over real engines, git and the database. Preconditions: this process holds the home's lock. */
export async function openKraft(options: OpenKraftOptions): Promise<Kraft> {
  return (await import('./open-kraft.ts')).openKraft(options);
}

/** The home's lock, freed by the kernel when the process ends in any way; null when another process holds it. */
export async function takeHomeLock(path: string): Promise<Disposable | null> {
  return (await import('../store/index.ts')).takeFileLock(path);
}

/** The connected repositories, without a daemon. */
export async function openRepos(environment: Environment): Promise<Repos> {
  return (await import('./open-repos.ts')).openRepos(environment);
}

/** Kraft's images, without a daemon. */
export async function openImages(environment: Environment): Promise<Images> {
  return (await import('./open-images.ts')).openImages(environment);
}

/** The chain files, without a daemon. */
export async function openChains(environment: Environment): Promise<Chains> {
  return (await import('./open-chains.ts')).openChains(environment);
}

/** Doctor in this process. */
export async function runDoctor(environment: Environment): Promise<DoctorReport> {
  return (await import('./run-doctor.ts')).runDoctor(environment);
}

/** Starts the daemon as a process of its own. Errors: CLIENT_NOT_STARTED. */
export async function startDaemonProcess(
  options: Pick<Environment, 'variables' | 'personUmask'> & {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly logPath: string;
  },
): Promise<DaemonProcess> {
  return (await import('./start-daemon-process.ts')).startDaemonProcess(options);
}

/** Shows a text page by page, in $KRAFT_PAGER, $PAGER or less; false when there is no pager. */
export async function showInPager(text: string, { variables }: Pick<Environment, 'variables'>): Promise<boolean> {
  const command = variables['KRAFT_PAGER'] ?? variables['PAGER'] ?? 'less -FRX';
  if (command.trim() === '' || command.trim() === 'cat') return false;
  // As git does: leave short texts on the screen and let colour through. The text is a worker's, so `less` starts nothing.
  const env = { LESS: 'FRX', LV: '-c', ...variables, LESSSECURE: '1' };
  return (await import('../process/index.ts')).showInPager({ text, command, env });
}

/** The error catalogues of every folder below. */
export async function readCatalogues(): Promise<readonly AnyCatalogue[]> {
  return (await import('./read-catalogues.ts')).catalogues;
}
