import { access, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  gatherErrors,
  parseDocument,
  renderPath,
  schemaProblems,
  type KraftError,
  type SchemaProblem,
  type SourceDocument,
} from '../base/index.ts';
import type { Chain } from './chain.ts';
import { chainErrors } from './errors.ts';
import { resolveChain } from './resolve.ts';
import { ChainFile } from './schema.ts';

const packagedDir = join(import.meta.dirname, 'files');
const idPattern = /^[a-z][a-z0-9_-]*$/;
// Until a chain of this name is shipped, the short one answers to it.
const standIn: Readonly<Record<string, string>> = { default: 'quick-task' };

/**
 * Reads a chain: `<configDir>/chains/<id>.yaml` where there is one, else the packaged file of that name.
 * Errors: CHAIN_UNKNOWN (naming the known ones), CHAIN_FILE_INVALID (all problems), CHAIN_FILE_UNREADABLE.
 */
export async function loadChain(configDir: string, id: string): Promise<Chain> {
  const own = join(configDir, 'chains');
  for (const candidate of [id, standIn[id]]) {
    if (candidate === undefined || !idPattern.test(candidate)) continue;
    for (const file of [join(own, `${candidate}.yaml`), join(packagedDir, `${candidate}.yaml`)]) {
      if (await exists(file)) return readChain(file, candidate);
    }
  }
  const known = new Set([...(await stems(own)), ...(await stems(packagedDir)), ...Object.keys(standIn)]);
  throw chainErrors.create('CHAIN_UNKNOWN', { id, known: [...known].sort() });
}

async function readChain(file: string, stem: string): Promise<Chain> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const parsed = await parseDocument(bytes);
  if (parsed.kind === 'refused') {
    throw gather(
      parsed.problems.map(({ line, path, problem }) =>
        invalid(file, line, {
          problem: `${path.length === 0 ? 'the file' : renderPath(path)} ${problem}`,
          remedy: null,
        }),
      ),
    );
  }
  const { document } = parsed;
  const result = ChainFile.safeParse(document.data);
  if (!result.success) {
    throw gather(schemaProblems(ChainFile, document, result.error).map((problem) => describe(file, problem)));
  }
  const problems = nameProblems(result.data, { file, stem, document });
  if (problems.length > 0) throw gather(problems);
  return resolveChain(result.data, stem);
}

function nameProblems(
  chain: ChainFile,
  { file, stem, document }: { readonly file: string; readonly stem: string; readonly document: SourceDocument },
): KraftError[] {
  const found: KraftError[] = [];
  if (chain.id !== undefined && chain.id !== stem) {
    const problem = `id is ${JSON.stringify(chain.id)}, but the file is named ${stem}`;
    found.push(invalid(file, document.lineOf(['id']), { problem, remedy: null }));
  }
  const seen = new Set<string>();
  chain.nodes.forEach((node, index) => {
    if (seen.has(node.id)) {
      const problem = `nodes[${index}].id ${node.id} is used twice`;
      found.push(invalid(file, document.lineOf(['nodes', index, 'id']), { problem, remedy: null }));
    }
    seen.add(node.id);
  });
  return found;
}

function describe(file: string, problem: SchemaProblem): KraftError {
  const path = renderPath([...problem.path, ...(problem.key === null ? [] : [problem.key])]);
  return invalid(file, problem.line, {
    problem: `${path === '' ? 'the file' : path} ${problem.problem}`,
    remedy: problem.meant === null ? problem.remedy : `Did you mean \`${problem.meant}\`?`,
  });
}

function invalid(
  file: string,
  line: number,
  { problem, remedy }: { readonly problem: string; readonly remedy: string | null },
): KraftError {
  return chainErrors.create('CHAIN_FILE_INVALID', {
    file,
    line,
    problem,
    remedy: remedy ?? 'Correct this line; docs/configuration.md lists the keys of a chain file.',
  });
}

function gather(problems: readonly KraftError[]): KraftError {
  const [first, ...rest] = problems;
  return gatherErrors([first ?? chainErrors.create('CHAIN_UNKNOWN', { id: '', known: [] }), ...rest]);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw unreadable(file, error);
  }
}

async function stems(dir: string): Promise<readonly string[]> {
  try {
    return (await readdir(dir)).filter((name) => name.endsWith('.yaml')).map((name) => name.slice(0, -'.yaml'.length));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw unreadable(dir, error);
  }
}

function unreadable(file: string, error: unknown): KraftError {
  const why = error instanceof Error ? error.message : String(error);
  return chainErrors.create('CHAIN_FILE_UNREADABLE', { file, why }, error);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
