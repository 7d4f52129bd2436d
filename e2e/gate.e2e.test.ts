import { expect, it } from 'vitest';
import { onHosts } from './support/hosts.ts';
import { Person, type EventLine } from './support/person.ts';

interface ThreadLine {
  readonly id: string;
  readonly draft: boolean;
  readonly status: string;
}

const rests = ['gate_requested', 'work_item_needs_human', 'work_item_completed'];

onHosts(['docker'], 'a gate', (host) => {
  it('holds an item of the default chain until it was sent back with a note, mended and approved', async () => {
    await using person = new Person(host);
    const repository = await person.sampleRepository();
    await person.connect(repository);
    await person.startDaemon();
    const id = await person.fileItem(repository, 'The total of the basket is wrong.', '--chain', 'default');
    await person.kraft('item', 'start', id);

    const first = await person.untilEvent(id, ({ type }) => rests.includes(type));
    expect(first).toMatchObject({ type: 'gate_requested', payload: { gate: 'local_review' } });
    const shown = await person.show(id);
    expect(shown.item).toMatchObject({ status: 'needs_human', stop: { kind: 'gate' } });
    expect(shown.item.stop?.remedy).toContain(`kraft item approve ${id}`);
    expect((await person.tryKraft('item', 'retry', id)).stderr).toContain(`kraft item approve ${id}`);
    expect(await person.kraft('view', 'diff', id, '--name-only', '--no-pager')).toContain('src/');

    await person.kraft('item', 'comment', id, 'src/price.js:1', '--body', 'Say why in a note.');
    await person.kraft('item', 'reject', id, '--note', 'Add it.\ndemo: write NOTE.md Why\ndemo: commit Say why');
    const second = await person.untilEvent(id, ({ type, seq }) => rests.includes(type) && seq > first.seq);
    expect(second.type).toBe('gate_requested');

    const { item } = await person.show(id);
    expect(await person.git(repository, 'show', `${item.branch}:NOTE.md`)).toBe('Why');
    const threads = await person.kraftJson<readonly ThreadLine[]>('view', 'threads', id, '--open');
    expect(threads).toMatchObject([{ draft: false, status: 'open' }]);
    await person.kraft('item', 'resolve', threads[0]?.id ?? '');
    expect(await person.kraft('item', 'approve', id, '--gate', 'local_review')).toContain('Approved');
    await person.untilItemRests(id);

    expect((await person.show(id)).item.status).toBe('completed');
    const told: readonly EventLine[] = await person.events(id);
    expect(told.filter(({ type }) => /^(gate|run_forked|review)/.test(type)).map(({ type }) => type)).toEqual([
      'gate_requested',
      'review_submitted',
      'gate_rejected',
      'run_forked',
      'gate_requested',
      'gate_approved',
    ]);
    expect(await person.containers()).toEqual([]);
  });
});
