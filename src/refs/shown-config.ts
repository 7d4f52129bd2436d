/** One entry of `git config --list -z`; `value` null stands for a key without `=`, which git reads as true. */
export interface ConfigEntry {
  /** As git prints it: section and last part in lower case, the middle as written. */
  readonly key: string;
  readonly value: string | null;
}

/** Output of `git config --list -z`. */
export function parseConfigList(output: string): readonly ConfigEntry[] {
  return output
    .split('\0')
    .filter((record) => record !== '')
    .map(parseRecord);
}

/** Output of `git config --list --show-scope -z`: the scope (`local`, `command`, …) stands before each entry. */
export function parseScopedConfig(output: string): readonly (ConfigEntry & { readonly scope: string })[] {
  const fields = output.split('\0');
  const entries = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    entries.push({ scope: fields[at] ?? '', ...parseRecord(fields[at + 1] ?? '') });
  }
  return entries;
}

function parseRecord(record: string): ConfigEntry {
  const newline = record.indexOf('\n');
  return newline < 0
    ? { key: record, value: null }
    : { key: record.slice(0, newline), value: record.slice(newline + 1) };
}

/** The last value of a single-valued key (lower case), `true` for a bare one, or null. */
export function configValue(entries: readonly ConfigEntry[], key: string): string | null {
  const found = entries.findLast((entry) => entry.key === key);
  return found === undefined ? null : (found.value ?? 'true');
}

/** Git's reading of a boolean. */
export function configFlag(entries: readonly ConfigEntry[], key: string): boolean {
  const value = configValue(entries, key)?.toLowerCase() ?? 'false';
  return !['', 'false', 'no', 'off', '0'].includes(value);
}

// Deny by default: `credential`, `http` (headers, cookies, proxies), `url` (tokens in rewritten addresses), `include`,
// `gpg`, `sendemail` and whatever a tool invented stay out.
const shownSections = new Set(
  'core extensions user remote branch submodule lfs filter diff merge i18n fetch pull push rebase commit index'.split(
    ' ',
  ),
);

const hiddenKeys = new Set([
  'core.sshcommand',
  'core.askpass',
  'core.hookspath',
  'core.fsmonitor',
  'core.worktree',
  'core.gitproxy',
  'core.editor',
  'core.pager',
  'core.excludesfile',
  'core.attributesfile',
  'core.alternaterefscommand',
  'commit.gpgsign',
  'user.signingkey',
  'push.gpgsign',
  'lfs.storage',
]);
const hiddenRemoteKeys = new Set(['proxy', 'proxyauthmethod', 'uploadpack', 'receivepack', 'vcs']);

/**
 * The part of the repository's configuration that a worker is shown: what describes the repository, without commands of
 * the person's machine and without anything that may hold a secret. User names and passwords leave every address.
 */
export function shownConfig(entries: readonly ConfigEntry[]): readonly ConfigEntry[] {
  return entries
    .filter(isShown)
    .map(({ key, value }) => ({ key, value: value === null ? null : withoutUserInfo(value) }));
}

function isShown({ key }: ConfigEntry): boolean {
  const section = key.slice(0, Math.max(0, key.indexOf('.')));
  const last = key.slice(key.lastIndexOf('.') + 1);
  if (!shownSections.has(section) || hiddenKeys.has(key)) return false;
  // An address as a subsection (`lfs.https://user:token@host/.access`) is where tokens hide.
  if (/:\/\/[^/]*@/u.test(key)) return false;
  return !(section === 'remote' && hiddenRemoteKeys.has(last));
}

/** Takes `user:password@` out of the addresses in a text; an ssh user, which is part of the address, stays. */
export function withoutUserInfo(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)([^/\s'"]*)@/giu, (_all, scheme: string, user: string) => {
    const ssh = /^(?:git\+)?ssh/iu.test(scheme);
    const [name] = user.split(':');
    return ssh && name !== undefined && name !== '' ? `${scheme}${name}@` : scheme;
  });
}

/** Entries as a configuration file that git reads back to the same entries. */
export function renderConfig(entries: readonly ConfigEntry[]): string {
  return entries.map(renderEntry).join('');
}

function renderEntry({ key, value }: ConfigEntry): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const section = key.slice(0, first);
  const name = key.slice(last + 1);
  const header =
    first === last
      ? `[${section}]`
      : `[${section} "${key.slice(first + 1, last).replace(/[\\"]/gu, (c) => `\\${c}`)}"]`;
  return value === null ? `${header}\n\t${name}\n` : `${header}\n\t${name} = "${escapeValue(value)}"\n`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\b': '\\b' };

function escapeValue(value: string): string {
  return value.replace(/[\\"\n\t\b]/gu, (c) => escapes[c] ?? c);
}
