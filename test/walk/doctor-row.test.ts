import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import type { Item, ItemStop } from '../../src/items/index.ts';
import { addDoctorRow } from '../../src/walk/doctor-row.ts';
import type { WalkPorts } from '../../src/walk/index.ts';
import { sampleItem } from '../support/sample-item.ts';

const stop: ItemStop = {
  kind: 'infra',
  code: 'KRAFT_CONTAINER_NOT_CREATED',
  reason: 'The engine did not create the container: no space.',
  remedy: 'Mend it.',
  sessionId: null,
  facts: { exit_code: 125 },
};
const item: Item = sampleItem({ frozen: JSON.stringify({ path: '/code/sample', label: 'sample' }) });
const seen = { name: 'sandbox sample', outcome: 'fail', detail: 'The image is not here.' };

function ports(lookAtRow: WalkPorts['lookAtRow']): Pick<WalkPorts, 'lookAtRow' | 'log'> {
  return { lookAtRow, log: silentLog };
}

describe('the row of doctor beside a stop (PF-D02)', () => {
  it('is asked for the item’s repository and told with what it saw, which may be another cause', async () => {
    const asked: unknown[] = [];
    const look: WalkPorts['lookAtRow'] = (...what) => {
      asked.push(what);
      return Promise.resolve(seen);
    };
    const told = await addDoctorRow(ports(look), item, stop);
    expect(asked).toEqual([['sandbox', '/code/sample']]);
    expect(told).toEqual({
      ...stop,
      facts: { exit_code: 125, doctor_row: 'sandbox sample: fail: The image is not here.' },
    });
  });

  it.each<[string, WalkPorts['lookAtRow']]>([
    ['there is no doctor', null],
    ['it does not answer in time', () => new Promise(() => undefined)],
    ['it breaks', () => Promise.reject(new Error('broken'))],
    ['it knows no such repository', () => Promise.resolve(null)],
  ])('is named for a person to look at when %s', async (_, look) => {
    const { facts } = await addDoctorRow(ports(look), item, stop, 1);
    expect(facts['doctor_row']).toMatch(/^sandbox sample: .*`kraft admin doctor`/);
    const engine = await addDoctorRow(ports(look), item, { ...stop, code: 'KRAFT_ENGINE_TIMEOUT' }, 1);
    expect(engine.facts['doctor_row']).toMatch(/^engine: /);
  });

  it.each([null, 'KRAFT_SETUP_FAILED', 'KRAFT_MEMORY_LIMIT_REACHED'])('is left out for %s', async (code) => {
    const look: WalkPorts['lookAtRow'] = () => Promise.reject(new Error('asked'));
    expect(await addDoctorRow(ports(look), item, { ...stop, code })).toEqual({ ...stop, code });
  });
});
