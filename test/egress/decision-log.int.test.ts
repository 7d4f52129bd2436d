import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDecisionLog, readEgressLog, type DecisionRecord } from '../../src/egress/index.ts';
import { until } from './support/open-proxy.ts';

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'decisions-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 's1.jsonl');
}

const record = (over: Partial<DecisionRecord> = {}): DecisionRecord => ({
  at: '2026-01-02T03:04:05.000Z',
  method: 'CONNECT',
  host: 'a.com',
  port: 443,
  phase: 'runtime',
  allow: true,
  reason: 'on the allow list',
  rule: 'a.com',
  failure: null,
  bytesUp: 10,
  bytesDown: 20,
  ms: 3,
  ...over,
});
const refused = { allow: false, reason: 'not on the allow list', rule: null, bytesUp: 0, bytesDown: 0 } as const;

describe('the decision log of a session', () => {
  it('keeps a line a request in a file of its owner alone, and sums it up by host and port', async () => {
    const path = place();
    const log = openDecisionLog(path);
    log.append(record({ at: '2026-01-02T03:04:09.000Z' }));
    log.append(record({ bytesDown: 5, failure: 'the connection was refused (ECONNREFUSED)' }));
    log.append(record({ port: 80, ...refused }));
    log.append(record({ host: '2001:db8::1', ...refused, reason: 'on the deny list' }));
    log.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(4);
    const { hosts, dropped, unreadable } = await readEgressLog(path);
    expect([dropped, unreadable]).toEqual([0, 0]);
    expect(hosts).toMatchObject([
      {
        host: 'a.com',
        port: 443,
        asked: 2,
        allowed: 2,
        refused: 0,
        failed: 1,
        reason: null,
        bytesUp: 20,
        bytesDown: 25,
        firstAt: '2026-01-02T03:04:05.000Z',
        lastAt: '2026-01-02T03:04:09.000Z',
      },
      { host: 'a.com', port: 80, asked: 1, allowed: 0, refused: 1, reason: 'not on the allow list' },
      { host: '2001:db8::1', port: 443, refused: 1, reason: 'on the deny list' },
    ]);
  });

  it('is on disk soon, without being closed', async () => {
    const path = place();
    const log = openDecisionLog(path);
    log.append(record());
    await until(() => statSync(path).size > 0, 'the line');
    expect((await readEgressLog(path)).hosts).toHaveLength(1);
    log.close();
    log.append(record());
    log.close();
    expect((await readEgressLog(path)).hosts[0]?.asked).toBe(1);
  });

  it('goes on after a daemon that broke off in a line', async () => {
    const path = place();
    const first = openDecisionLog(path);
    first.append(record());
    first.close();
    appendFileSync(path, '{"at":"2026-01-0');
    const second = openDecisionLog(path);
    second.append(record());
    second.close();
    const { hosts, unreadable } = await readEgressLog(path);
    expect([hosts[0]?.asked, unreadable]).toEqual([2, 1]);
  });

  it('counts alone what is beyond its bound, and says so', async () => {
    const path = place();
    const maxBytes = 2_000;
    for (let round = 0; round < 2; round++) {
      const log = openDecisionLog(path, maxBytes);
      for (let at = 0; at < 50; at++) log.append(record());
      log.close();
    }
    expect(statSync(path).size).toBeLessThan(maxBytes + 100);
    const { hosts, dropped } = await readEgressLog(path);
    expect((hosts[0]?.asked ?? 0) + dropped).toBe(100);
    expect(dropped).toBeGreaterThan(80);
  });

  it.each([
    ['no JSON', 'hello'],
    ['another field', JSON.stringify({ ...record(), more: 1 })],
    ['a missing one', JSON.stringify({ ...record(), ms: undefined })],
    ['a host that is not canonical', JSON.stringify(record({ host: 'A.com' }))],
    ['a host with an escape', JSON.stringify(record({ host: 'a\u001b[31m.com' }))],
    ['a port that is none', JSON.stringify(record({ port: 0 }))],
    ['a count below zero', JSON.stringify(record({ bytesUp: -1 }))],
    ['a time that is none', JSON.stringify(record({ at: 'yesterday' }))],
    ['counts that are none', JSON.stringify({ dropped: 'x' })],
    ['a reason that is none', JSON.stringify({ at: '2026-01-02T03:04:05.678Z', malformed: 1 })],
  ])('is read strictly: %s is no line of it', async (_what, line) => {
    const path = place();
    writeFileSync(path, `${line}\n${JSON.stringify(record())}\n`);
    expect(await readEgressLog(path)).toMatchObject({ hosts: [{ asked: 1 }], dropped: 0, unreadable: 1 });
  });

  it('counts what was not understood, and names no host of it', async () => {
    const path = place();
    const log = openDecisionLog(path);
    log.append({ at: '2026-01-02T03:04:05.678Z', malformed: 'it is not HTTP/1.1 or HTTP/1.0' });
    log.append(record());
    log.close();
    expect(await readEgressLog(path)).toMatchObject({ hosts: [{ asked: 1 }], malformed: 1, dropped: 0, unreadable: 0 });
  });

  it('is empty where there is none, and follows no link', async () => {
    const path = place();
    expect(await readEgressLog(path)).toEqual({ hosts: [], malformed: 0, dropped: 0, unreadable: 0 });
    symlinkSync('/etc/hostname', path);
    await expect(readEgressLog(path)).rejects.toThrow('ELOOP');
    expect(() => openDecisionLog(path)).toThrow('ELOOP');
  });
});
