/** What git does without changing anything: their points differ from one another in nothing that could be left behind. */
const reading = new RegExp(
  `^process (?:other|git (?:${[
    ...['rev-parse', 'config', 'show-ref', 'symbolic-ref', 'cat-file', 'grep', 'log', 'ls-files', 'ls-tree'],
    ...['for-each-ref', 'diff-tree', 'status', 'rev-list', 'version', 'check-ignore', 'check-attr'],
  ].join('|')}))`,
);
/** Modes and times: what is left does not depend on them. */
const modest = /^file (?:chmod|utimes)/;

interface Point {
  readonly name: string;
  readonly act: string;
  readonly phase: string;
}

/** Folders of the run directory that one part of Kraft makes and removes in one way. */
const families = {
  'per image': ['sandbox-image', 'sandbox-ca'],
  'per session': ['sandbox-client', 'sandbox-home', 'results', 'logs', 'engine-client'],
  'for one call': ['git-view', 'git-quarantine'],
} as const;

/** The act behind a point, without its count: what is made in one family of folders counts as one, and so does asking the engine. */
function parsePoint(name: string): Point {
  const space = name.lastIndexOf(' ');
  const act = name.slice(0, space).replace(/ #\d+$/, '');
  return { name, act: act.startsWith('engine GET') ? 'engine GET' : settleFile(act), phase: name.slice(space + 1) };
}

function settleFile(act: string): string {
  const [, method = '', folder = '', rest = ''] =
    /^file (\S+) (\/kraft\/run(?:\/[^/]+)?|\/[^/]+\/\.git(?:\/[^/]+)?)(.*)$/.exec(act) ?? [];
  if (folder === '') return act;
  if (method === 'mkdir' && rest === '') return 'file make folder';
  const made = rest.endsWith('.tmp') ? 'draft' : ['rename', 'rm', 'rmdir'].includes(method) ? method : 'make';
  const last = folder.slice(folder.lastIndexOf('/') + 1);
  const family = Object.entries(families).find(([, names]) => names.some((each) => each === last));
  return `file ${made} ${family?.[0] ?? folder}`;
}

/** Every point at which something may be left behind. */
export function listPoints(recorded: readonly string[]): readonly string[] {
  const end = recorded.findIndex(
    (name) => name.startsWith('store apply work_item_completed') && name.endsWith('after'),
  );
  return recorded.slice(0, end + 1).filter((name) => !reading.test(name) && !modest.test(name));
}

/**
 * One point of each act. Acts take turns at being crashed before and after them; of processes, every other one while it
 * runs. A new kind of act is a new point by itself.
 */
export function choosePoints(recorded: readonly string[]): readonly string[] {
  const acts = Map.groupBy(listPoints(recorded).map(parsePoint), (point) => point.act);
  return [...acts.values()].map((points, index) => {
    const running = points.filter(({ phase }) => phase === 'spawned');
    const ended = points.filter(({ phase }) => phase === (index % 2 === 0 ? 'before' : 'after'));
    const found = running.length > 0 && index % 2 === 0 ? running : ended;
    // Of several sessions and stores take turns too. How many objects one call carries differs from run to run: its first.
    const turn = found[0]?.act.endsWith('for one call') === true ? 0 : index % found.length;
    return (found[turn] ?? points[0])?.name ?? '';
  });
}

/** At most so many of the points, evenly over an item's life. */
export function spread(points: readonly string[], most: number): readonly string[] {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, index) => points[Math.floor((index * points.length) / most)] ?? '');
}
