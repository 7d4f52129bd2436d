import { access, readFile, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import {
  gatherErrors,
  parseDocument,
  renderPath,
  schemaProblems,
  type KraftError,
  type SchemaProblem,
} from '../base/index.ts';
import type { Chain } from './chain.ts';
import { chainProblems } from './chain-problems.ts';
import { chainErrors } from './errors.ts';
import { expandChain, listExtended, type ChainProblem } from './extend.ts';
import { locate, placeAt, toData, type Located } from './located.ts';
import { resolveChain } from './resolve.ts';
import { ChainFile } from './schema.ts';

const packagedDir = join(import.meta.dirname, 'files');
const idPattern = /^[a-z][a-z0-9_-]*$/;

/** A chain with the file that it came from, every `extends` written out. */
export interface LoadedChain {
  readonly chain: Chain;
  readonly written: ChainFile;
  readonly file: string;
}

/**
 * Reads a chain: `<configDir>/chains/<id>.yaml` where there is one, else the packaged file of that name.
 * Errors: CHAIN_UNKNOWN (naming the known ones), CHAIN_FILE_INVALID (all problems), CHAIN_FILE_UNREADABLE.
 */
export async function loadChain(configDir: string, id: string): Promise<Chain> {
  return (await readChain(configDir, id)).chain;
}

/** `loadChain`, with the file's own words. */
export async function readChain(configDir: string, id: string): Promise<LoadedChain> {
  const found = await findFile(configDir, id);
  if (found === null) throw chainErrors.create('CHAIN_UNKNOWN', { id, known: await listChains(configDir) });
  return readFileAs(configDir, found);
}

/** Reads one file as the chain of its stem, wherever it lies; what it extends is looked for as always. Errors: as above. */
export async function readChainFile(configDir: string, path: string): Promise<LoadedChain> {
  const file = resolve(path);
  return readFileAs(configDir, { file, id: basename(file).replace(/\.ya?ml$/, '') });
}

/** Ids of every chain there is, sorted. */
export async function listChains(configDir: string): Promise<readonly string[]> {
  const own = await stems(join(configDir, 'chains'));
  return [...new Set([...own, ...(await stems(packagedDir))])].sort();
}

interface FoundFile {
  readonly file: string;
  readonly id: string;
}

async function findFile(configDir: string, id: string): Promise<FoundFile | null> {
  if (!idPattern.test(id)) return null;
  for (const dir of [join(configDir, 'chains'), packagedDir]) {
    const file = join(dir, `${id}.yaml`);
    if (await exists(file)) return { file, id };
  }
  return null;
}

async function readFileAs(configDir: string, { file, id }: FoundFile): Promise<LoadedChain> {
  const own = await readLocated(file);
  const sources = new Map([[id, own]]);
  const queue = [...listExtended(own)];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const found = sources.has(next) ? null : await findFile(configDir, next);
    if (found === null) continue;
    const source = await readLocated(found.file);
    sources.set(next, source);
    queue.push(...listExtended(source));
  }
  const { expanded, problems } = expandChain(id, sources);
  return { ...judge(expanded ?? own, id, problems), file };
}

/** Everything that is wrong, or the chain. */
function judge(expanded: Located, id: string, extending: readonly ChainProblem[]): Omit<LoadedChain, 'file'> {
  const data = toData(expanded);
  const placeOf = (path: readonly (string | number)[]): ReturnType<typeof placeAt> => placeAt(expanded, path);
  const document = { data, lineOf: (path: readonly (string | number)[]) => placeOf(path).line };
  const result = ChainFile.safeParse(data);
  const found = result.success
    ? chainProblems(result.data, id, placeOf)
    : schemaProblems(ChainFile, document, result.error)
        // What a part lacks may be what it would have had from the one that it could not extend.
        .filter(({ fault }) => extending.length === 0 || fault !== 'missing-key')
        .map((problem) => describe(problem, placeOf));
  const problems = [...extending, ...found];
  if (problems.length > 0 || !result.success) throw gather(problems);
  return { chain: resolveChain(result.data, id, placeOf), written: result.data };
}

async function readLocated(file: string): Promise<Located> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  const parsed = await parseDocument(bytes);
  if (parsed.kind === 'document') return locate(file, parsed.document);
  throw gather(
    parsed.problems.map(({ line, path, problem }) => ({
      place: { file, line },
      problem: `${path.length === 0 ? 'the file' : renderPath(path)} ${problem}`,
      remedy: null,
    })),
  );
}

function describe(
  { path, key, problem, meant, remedy }: SchemaProblem,
  placeOf: (path: SchemaProblem['path']) => ChainProblem['place'],
): ChainProblem {
  const whole = [...path, ...(key === null ? [] : [key])];
  return {
    place: placeOf(whole),
    problem: `${whole.length === 0 ? 'the file' : renderPath(whole)} ${problem}`,
    remedy: meant === null ? remedy : `Did you mean \`${meant}\`?`,
  };
}

/** One error of all problems, each told once: a part that several extend is met several times. */
function gather(problems: readonly ChainProblem[]): KraftError {
  const errors = problems.map(({ place, problem, remedy }) =>
    chainErrors.create('CHAIN_FILE_INVALID', {
      ...place,
      problem,
      remedy: remedy ?? 'Correct this line; docs/reference/configuration.md lists the keys of a chain file.',
    }),
  );
  const [first, ...rest] = new Map(errors.map((error) => [error.message, error])).values();
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
