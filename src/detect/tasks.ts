/** Names of tasks that a task runner's file declares, read by their line form alone: nothing is evaluated. Pure. */

/** Recipes of a justfile that run without an argument: `test`, `@test flag="x":`, but not `test target:` or `test := …`. */
export function justRecipes(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const match = /^@?([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[^:]+?)?)\s*:(?!=)/.exec(line);
    if (match === null) return [];
    const parameters = (match[2] ?? '').trim();
    const needsOne =
      parameters !== '' && !parameters.split(/\s+(?=[^'"]*(?:['"][^'"]*['"][^'"]*)*$)/).every(isOptional);
    return needsOne ? [] : [match[1] ?? ''];
  });
}

function isOptional(parameter: string): boolean {
  return parameter.startsWith('*') || parameter.includes('=');
}

/** Targets of a makefile, pattern rules and variables left out. */
export function makeTargets(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([A-Za-z0-9_][A-Za-z0-9_ ./-]*?)\s*::?(?![=:])/.exec(line);
    return match === null ? [] : (match[1] ?? '').split(/\s+/);
  });
}

/** Keys under `tasks:` of a Taskfile. */
export function taskfileTasks(text: string): readonly string[] {
  const names: string[] = [];
  let indent: number | null = null;
  let inside = false;
  for (const line of text.split('\n')) {
    if (/^\S/.test(line)) inside = /^tasks:\s*(?:#.*)?$/.test(line);
    const match = inside ? /^( +)["']?([A-Za-z0-9_-]+)["']?:/.exec(line) : null;
    if (match === null) continue;
    indent ??= match[1]?.length ?? 0;
    if (match[1]?.length === indent) names.push(match[2] ?? '');
  }
  return names;
}

/** Tasks of a `mise.toml`: `[tasks.NAME]` tables and keys of `[tasks]`. */
export function miseTasks(text: string): readonly string[] {
  const names: string[] = [];
  let table = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^\]]+)\]/.exec(line);
    if (header !== null) {
      table = (header[1] ?? '').trim();
      const named = /^tasks\.["']?([A-Za-z0-9_-]+)["']?$/.exec(table);
      if (named !== null) names.push(named[1] ?? '');
      continue;
    }
    const key = table === 'tasks' ? /^\s*["']?([A-Za-z0-9_-]+)["']?\s*(?:\.\s*[a-z_]+\s*)?=/.exec(line) : null;
    if (key !== null) names.push(key[1] ?? '');
  }
  return names;
}

/** Scripts of a `package.json` that do something; npm's placeholder for a missing test is none. */
export function packageScripts(text: string): {
  readonly scripts: readonly string[];
  readonly hasDependencies: boolean;
  readonly isWorkspaceRoot: boolean;
} {
  const none = { scripts: [], hasDependencies: false, isWorkspaceRoot: false };
  const data = parseJson(text);
  if (data === null) return none;
  const scripts = asMapping(data['scripts']);
  return {
    scripts: Object.keys(scripts).filter((name) => {
      const body = scripts[name];
      return typeof body === 'string' && body.trim() !== '' && !body.includes('no test specified');
    }),
    hasDependencies: ['dependencies', 'devDependencies', 'optionalDependencies'].some(
      (key) => Object.keys(asMapping(data[key])).length > 0,
    ),
    isWorkspaceRoot: data['workspaces'] !== undefined,
  };
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asMapping(JSON.parse(text.replace(/^\ufeff/, '')) as unknown);
  } catch {
    return null;
  }
}

function asMapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
