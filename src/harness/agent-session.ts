/** Whether text can be the id of a product's own session: nothing that another argument, option or path could be. */
export function isAgentSession(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/u.test(text);
}
