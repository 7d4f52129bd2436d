/** A stored UTC time on the reader's clock: `2026-03-01 14:05:09`. Text that is no time is given back. */
export function renderLocalTime(stored: string): string {
  const at = new Date(stored);
  if (Number.isNaN(at.getTime())) return stored;
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Time that has passed, in few columns: `0:07`, `12:40`, `3:02:11`, `5d`. A clock that was set back counts as none. */
export function renderElapsed(ms: number): string {
  const seconds = Number.isFinite(ms) ? Math.max(0, Math.floor(ms / 1000)) : 0;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${Math.floor(hours / 24)}d`;
}
