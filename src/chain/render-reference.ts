import { ChainFile } from './schema.ts';

/** What the generated reference and the JSON schema say of chain files. */
export const chainDocument = {
  name: 'chains/<id>.yaml',
  output: 'schemas/chain.json',
  schema: ChainFile,
  reused: 'ref' as const,
  text:
    'A chain of your own, or one in place of a packaged chain of the same name. Parts are named by their canonical path ' +
    '`node.step.task`. A node or task that starts from another with `extends` may leave out what it takes from there. ' +
    '`kraft admin chains lint` checks the files; an item whose chain has a part that is not built yet stops and names it. ' +
    'Every `policy` takes the keys of the first; tasks take the same keys wherever they stand.',
  /** Keys whose like stands in the table already. */
  isFolded: (key: string): boolean =>
    /\]\.policy$|\.sandbox$|on_failure$|^nodes\[\]\.steps\[\]\.tasks$|^nodes\[\]\.fix_loop\.(tasks|steps|judge)$/.test(
      key,
    ),
};
