import { cliErrors } from './errors.ts';

/** Waits until a process that was asked to end has ended. Errors: DAEMON_STAYS when it has not in time. */
export async function untilGone(pid: number, withinMs: number): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (isAlive(pid)) {
    if (performance.now() > deadlineMs) throw cliErrors.create('DAEMON_STAYS', { pid, seconds: withinMs / 1000 });
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
