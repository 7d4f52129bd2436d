import type { Harness } from './harness.ts';

/** Whether text can be the id of a product's own session: nothing that another argument, option or path could be. */
export function isAgentSession(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/u.test(text);
}

/** What the name of some file under the agent's HOME contains while its session can be gone on with. */
export function renderSessionFile({ sessionFile }: Pick<Harness, 'sessionFile'>, session: string): string {
  return sessionFile.replace(/\{value8?\}/gu, (placeholder) =>
    placeholder === '{value}' ? session : session.slice(0, 8),
  );
}
