import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EgressHost } from '../../src/egress/index.ts';
import { readEgress, type EgressEdges } from '../../src/compose/read-egress.ts';
import { readEgressLog, type DecisionRecord } from '../../src/egress/decision-log.ts';
import { sampleSession } from '../support/sample-item.ts';

const item = { id: 'abcd2345', repo: '/srv/shop' };
let runDir: string;

beforeEach(async () => {
  runDir = await mkdtemp(join(tmpdir(), 'kraft-egress-'));
});
afterEach(() => rm(runDir, { recursive: true }));

const edges = (more: Partial<EgressEdges> = {}): EgressEdges => ({
  store: {
    listSessions: () =>
      Promise.resolve([
        sampleSession({ id: 's1', task: 'implementation.main.agent', createdAt: '2026-01-02T03:00:00.000Z' }),
        sampleSession({ id: 's2', task: 'verification.main.tests.1', createdAt: '2026-01-02T04:00:00.000Z' }),
      ]),
  },
  runDir,
  readLog: (path) => Promise.resolve(readEgressLog(path)),
  ...more,
});

async function log(session: string, ...records: readonly Partial<DecisionRecord>[]): Promise<void> {
  await mkdir(join(runDir, 'egress'), { recursive: true });
  const lines = records.map((record) => {
    const whole: DecisionRecord = {
      at: '2026-01-02T02:00:00.000Z',
      method: 'CONNECT',
      host: 'a.example',
      port: 443,
      phase: 'runtime',
      allow: true,
      reason: 'on the allow list',
      rule: null,
      failure: null,
      bytesUp: 10,
      bytesDown: 200,
      ms: 5,
      ...record,
    };
    return `${JSON.stringify(whole)}\n`;
  });
  await writeFile(join(runDir, 'egress', `${session}.jsonl`), lines.join(''));
}

const refused = { allow: false, reason: 'not on the allow list', bytesUp: 0, bytesDown: 0 };

describe('what the sessions of an item asked for', () => {
  it('is told by session in the order in which they began, setup commands first, and of no other item', async () => {
    await log('s2', { host: 'b.example', ...refused });
    await log('s1', {}, { at: '2026-01-02T03:05:00.000Z' }, { port: 80, failure: 'the host did not answer' });
    await log('setup-abcd2345-x', { host: 'registry.example', phase: 'install', ...refused });
    await log('setup-abcd2346-x', { host: 'other.example', phase: 'install' });
    await log('s9', { host: 'other.example' });

    const { sessions } = await readEgress(edges(), item);

    expect(sessions.map(({ sessionId, task, phase }) => [sessionId, task, phase])).toEqual([
      ['setup-abcd2345-x', null, 'install'],
      ['s1', 'implementation.main.agent', 'runtime'],
      ['s2', 'verification.main.tests.1', 'runtime'],
    ]);
    expect(sessions[1]?.hosts).toEqual([
      {
        ...{
          host: 'a.example',
          port: 443,
          phase: 'runtime',
          asked: 2,
          allowed: 2,
          refused: 0,
          failed: 0,
          reason: null,
        },
        ...{ bytesUp: 20, bytesDown: 400, firstAt: '2026-01-02T02:00:00.000Z', lastAt: '2026-01-02T03:05:00.000Z' },
      },
      expect.objectContaining({ port: 80, allowed: 1, failed: 1 }),
    ]);
  });

  it('suggests each command once that opens something, and none for what no entry opens', async () => {
    await log(
      's1',
      { host: 'b.example', ...refused },
      { host: 'b.example', ...refused, port: 8443 },
      { host: 'deny.example', ...refused, reason: 'on the deny list' },
      { host: '10.0.0.9', ...refused, reason: 'a non-public address without an exact allow entry' },
      { host: '169.254.169.254', ...refused, reason: 'an address that is never reached' },
      { host: 'kraft', port: 81, ...refused },
    );
    await log('s2', { host: 'b.example', ...refused });
    await log('setup-abcd2345-x', { host: 'b.example', phase: 'install', ...refused });

    const { suggestions } = await readEgress(edges(), item);

    expect(suggestions.map(({ command }) => command)).toEqual([
      'kraft repo allow b.example:443 --phase install --repo /srv/shop',
      'kraft repo allow b.example:443 --repo /srv/shop',
      'kraft repo allow b.example:8443 --repo /srv/shop',
      'kraft repo allow 10.0.0.9:443 --repo /srv/shop',
    ]);
  });

  it('is bounded, and what is left out is counted', async () => {
    await log('s1', ...Array.from({ length: 512 }, (_, at) => ({ host: `h${at}.example` })));
    const { sessions } = await readEgress(edges(), item);
    expect([sessions[0]?.hosts.length, sessions[0]?.leftOut]).toEqual([500, 12]);
  });

  it('is nothing where no session ran under a network policy', async () => {
    expect(await readEgress(edges(), item)).toEqual({ itemId: 'abcd2345', sessions: [], suggestions: [] });
  });

  it('tells of a session that asked for nothing', async () => {
    await log('s1');
    const { sessions } = await readEgress(edges(), item);
    expect(sessions).toMatchObject([{ sessionId: 's1', hosts: [] satisfies EgressHost[], dropped: 0 }]);
  });
});
