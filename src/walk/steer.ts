import { listTasks, type Chain } from '../chain/index.ts';
import type { Actor, KraftEvent } from '../events/index.ts';
import { addSteer, isWithin, itemErrors, type Item } from '../items/index.ts';
import { thaw } from './frozen.ts';

/** Columns and facts of words that are left for the next agent. Errors: STEER_REFUSED, STEER_UNREAD. */
export function steerItem(
  item: Item,
  text: string,
  by: Actor,
): { readonly item: Pick<Item, 'steer'>; readonly events: readonly KraftEvent[] } {
  const steer = addSteer(item, text);
  if (!hasAgentAhead(thaw(item).chain, item)) {
    throw itemErrors.create('STEER_UNREAD', { id: item.id, node: item.nextNode ?? 'here' });
  }
  return { item: { steer }, events: [{ type: 'steer_context_set', payload: { by, text: text.trim() } }] };
}

/** Whether an agent can come from where the item goes on: as a task, or to mend what fails. Pure. */
export function hasAgentAhead(chain: Chain, { nextNode, enterAt }: Pick<Item, 'nextNode' | 'enterAt'>): boolean {
  const next = nextNode === null ? 0 : chain.nodes.findIndex((node) => node.id === nextNode);
  const passed = new Set(passedSteps(chain, { nextNode, enterAt }));
  return chain.nodes
    .slice(Math.max(0, next))
    .some((node) =>
      listTasks({ nodes: [node] }).some(
        ({ task }) => task.kind === 'agent' && ![...passed].some((step) => isWithin(task.path, step)),
      ),
    );
}

/** Steps of the next node that lie before the one at which it is entered. */
function passedSteps(chain: Chain, { nextNode, enterAt }: Pick<Item, 'nextNode' | 'enterAt'>): readonly string[] {
  const node = chain.nodes.find(({ id }) => id === nextNode);
  if (node?.kind !== 'exec' || enterAt === null) return [];
  const entered = node.steps.findIndex(({ path }) => isWithin(enterAt, path));
  return node.steps.slice(0, Math.max(0, entered)).map(({ path }) => path);
}

/** The fact that nobody read the words that an item still holds; none where it holds none. */
export function undelivered({ steer }: Pick<Item, 'steer'>, reason: string): readonly KraftEvent[] {
  return steer === null ? [] : [{ type: 'steer_undelivered', payload: { reason } }];
}
