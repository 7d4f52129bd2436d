import { systemClock } from '../../src/base/index.ts';
import { openStore } from '../../src/store/index.ts';
import { sampleItem } from './sample-item.ts';

// A process of its own that writes events for ever and says so after each one: for tests that kill it.
const store = await openStore({ path: process.argv[2] ?? '', clock: systemClock });
await store.createItem(sampleItem(), []);
for (let count = 1; ; count++) {
  await store.apply({
    itemId: 'abcd2345',
    events: [{ event: { type: 'node_started', payload: { node_id: String(count) } }, nodeId: null }],
    item: {},
    sessions: [],
    expectStatus: null,
  });
  process.stdout.write(`written ${count}\n`);
}
