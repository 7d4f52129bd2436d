/** A stored UTC time on the reader's clock: `2026-03-01 14:05:09`. Text that is no time is given back. */
export function renderLocalTime(stored: string): string {
  const at = new Date(stored);
  if (Number.isNaN(at.getTime())) return stored;
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
