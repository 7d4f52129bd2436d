const sizePattern = /^([1-9][0-9]*)([bkmg]?)$/;
const sizeFactor: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `4g` -> bytes (binary units, trimmed, any case); null when the text is no size (CC 3.3). */
export function parseSizeBytes(text: string): number | null {
  const match = sizePattern.exec(text.trim().toLowerCase());
  if (match === null) return null;
  const bytes = Number(match[1]) * (sizeFactor[match[2] ?? ''] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** Bytes -> the largest binary unit that divides them, as engines take it (`33554432` -> `32m`; SI 6.4). */
export function renderSize(bytes: number): string {
  for (const [unit, factor] of [
    ['g', 1024 ** 3],
    ['m', 1024 ** 2],
    ['k', 1024],
  ] as const) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  }
  return String(bytes);
}

/** Bytes for people, in binary units: `512 B`, `12 KiB`, `3.4 GiB`. */
export function renderBytes(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes / 1024;
  let at = 0;
  // What would be shown as 1024 is one of the next unit.
  for (; value >= 1023.5 && at < units.length - 1; at++) value /= 1024;
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[at] ?? ''}`;
}

/** Milliseconds for people: `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 10 min`. */
export function renderDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(seconds / 3600)} h ${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} min`;
}
