import { resolveSandbox, sameSandbox } from '../config/index.ts';
import { renderPath, type DocumentPath } from '../base/index.ts';
import type { ChainProblem } from './extend.ts';
import type { Place } from './located.ts';
import { listParts } from './parts.ts';
import { declaresSandbox } from './sandbox-lock.ts';
import type { ChainFile } from './schema.ts';

type PlaceOf = (path: DocumentPath) => Place;

/** What a schema cannot see: names used twice, nodes that are not there, two sandboxes in one chain. Pure. */
export function chainProblems(chain: ChainFile, stem: string, placeOf: PlaceOf): readonly ChainProblem[] {
  return [
    ...idProblems(chain, stem, placeOf),
    ...nameProblems(chain, placeOf),
    ...targetProblems(chain, placeOf),
    ...sandboxProblems(chain, placeOf),
  ];
}

function idProblems({ id }: ChainFile, stem: string, placeOf: PlaceOf): readonly ChainProblem[] {
  if (id === undefined || id === stem) return [];
  const problem = `id is ${JSON.stringify(id)}, but the file is named ${stem}`;
  return [{ place: placeOf(['id']), problem, remedy: `Write \`id: ${stem}\`, leave it out, or rename the file.` }];
}

function nameProblems(chain: ChainFile, placeOf: PlaceOf): readonly ChainProblem[] {
  const seen = new Map<string, Place>();
  return listParts(chain).flatMap(({ name, at }) => {
    const place = placeOf([...at, 'id']);
    const first = seen.get(name);
    if (first === undefined) {
      seen.set(name, place);
      return [];
    }
    const problem = `${renderPath([...at, 'id'])} makes ${name} a name that is used twice, first on line ${first.line}`;
    return [{ place, problem, remedy: 'Give one of them another id.' }];
  });
}

/** `reject_to` and `restart_from` name a node: the one of a gate an earlier one that does something. */
function targetProblems({ nodes }: ChainFile, placeOf: PlaceOf): readonly ChainProblem[] {
  const ids = nodes.map((node) => node.id);
  return nodes.flatMap((node, index) => {
    const earlier = nodes.slice(0, index).flatMap((other) => (other.kind === 'gate' ? [] : [other.id]));
    const [key, target, known] =
      node.kind === 'gate'
        ? ([['reject_to'], node.reject_to, earlier] as const)
        : ([['on_base_changed', 'restart_from'], node.on_base_changed?.restart_from, ids] as const);
    if (target === undefined || known.includes(target)) return [];
    const path = ['nodes', index, ...key];
    const where = node.kind === 'gate' ? 'no exec node before this gate' : 'no node of the chain';
    return [
      {
        place: placeOf(path),
        problem: `${renderPath(path)} names ${target}, which is ${where}`,
        remedy: `Known here: ${known.join(', ') || 'none'}.`,
      },
    ];
  });
}

/** One sandbox wraps every process of an item, so a chain cannot name two (CC 3.1). */
function sandboxProblems(chain: ChainFile, placeOf: PlaceOf): readonly ChainProblem[] {
  const [first, ...rest] = listParts(chain).filter(declaresSandbox);
  if (first === undefined) return [];
  const place = placeOf([...first.at, 'policy', 'sandbox']);
  const wanted = resolveSandbox(first.policy?.sandbox ?? null);
  return rest
    .filter(({ policy }) => !sameSandbox(resolveSandbox(policy?.sandbox ?? null), wanted))
    .map(({ at, name }) => {
      const path = [...at, 'policy', 'sandbox'];
      return {
        place: placeOf(path),
        problem: `${renderPath(path)} gives ${name} another sandbox than ${first.name} has (${place.file}:${place.line})`,
        remedy: 'Write the same sandbox in both places, or in neither: one sandbox is around the whole item.',
      };
    });
}
