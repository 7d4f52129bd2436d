export const shells = ['bash', 'zsh', 'fish'] as const;

export interface CompletionEntry {
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly string[];
}

/** A completion script. It holds the verbs as they are now, so that completing starts no program. */
export function renderCompletion(shell: (typeof shells)[number], entries: readonly CompletionEntry[]): string {
  if (shell === 'fish') return renderFish(entries);
  const script = renderBash(entries);
  // zsh runs a bash completion through its own layer for them.
  return shell === 'bash'
    ? script
    : `autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

/** What may follow each beginning of a command line: `repo` -> connect list …. */
function collectWords(entries: readonly CompletionEntry[]): ReadonlyMap<string, readonly string[]> {
  const following = new Map<string, string[]>();
  const add = (before: string, word: string): void => {
    const words = following.get(before) ?? [];
    if (!words.includes(word)) words.push(word);
    following.set(before, words);
  };
  for (const { words, options } of entries) {
    words.forEach((word, at) => add(words.slice(0, at).join(' '), word));
    for (const option of [...options, '--help']) add(words.join(' '), option);
  }
  for (const option of ['help', '--help', '--version']) add('', option);
  return following;
}

function renderBash(entries: readonly CompletionEntry[]): string {
  const cases = [...collectWords(entries)].map(
    ([before, words]) => `    ${JSON.stringify(before)}) words="${words.join(' ')}" ;;`,
  );
  return `_kraft() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) _kraft_words "\${before:+$before }$word" && before="\${before:+$before }$word" ;; esac
  done
  _kraft_words "$before"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_kraft_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
complete -o default -F _kraft kraft
`;
}

function renderFish(entries: readonly CompletionEntry[]): string {
  const lines = ['complete -c kraft -f'];
  for (const { words, summary, options } of entries) {
    words.forEach((word, at) => {
      const seen = words.slice(0, at).map((each) => `__fish_seen_subcommand_from ${each}`);
      const condition = at === 0 ? '__fish_use_subcommand' : seen.join('; and ');
      const line = `complete -c kraft -n '${condition}' -a ${word}${at === words.length - 1 ? ` -d '${summary.replaceAll("'", "\\'")}'` : ''}`;
      if (!lines.includes(line)) lines.push(line);
    });
    const condition = words.map((each) => `__fish_seen_subcommand_from ${each}`).join('; and ');
    for (const option of options) lines.push(`complete -c kraft -n '${condition}' -l ${option.slice(2)}`);
  }
  return `${lines.join('\n')}\n`;
}
