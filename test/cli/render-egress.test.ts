import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderEgress } from '../../src/cli/render-egress.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import type { EgressView } from '../../src/compose/index.ts';
import type { EgressHost } from '../../src/egress/index.ts';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'UTC';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const host = (changes: Partial<EgressHost>): EgressHost => ({
  phase: 'runtime',
  ...{ host: 'api.example', port: 443, asked: 3, allowed: 3, refused: 0, failed: 1, reason: null },
  ...{
    bytesUp: 512,
    bytesDown: 3 * 1024 * 1024,
    firstAt: '2026-01-02T03:04:05.678Z',
    lastAt: '2026-01-02T03:05:05.678Z',
  },
  ...changes,
});
const refused = { allowed: 0, refused: 3, failed: 0, bytesUp: 0, bytesDown: 0, reason: 'not on the allow list' };
const view: EgressView = {
  itemId: 'abcd2345',
  sessions: [
    { sessionId: 'setup-abcd2345-x', task: null, phase: 'install', hosts: [], leftOut: 0, dropped: 0, malformed: 0 },
    {
      sessionId: 's1',
      task: 'implementation.main.agent',
      phase: 'runtime',
      hosts: [host({}), host({ host: 'b\u001b[2J.example', ...refused }), host({ host: '2001:db8::1', ...refused })],
      leftOut: 2,
      dropped: 7,
      malformed: 4,
    },
  ],
  suggestions: [{ host: 'b.example', port: 443, phase: 'runtime', command: 'kraft repo allow b.example:443' }],
};

describe('renderEgress', () => {
  it('shows a table for each session, with what could move the cursor escaped, and how to allow what was refused', () => {
    expect(renderEgress(view, createStyle(false), null)).toBe(
      [
        'setup-abcd2345-x  setup command (install)',
        'It asked for nothing.',
        '',
        's1  implementation.main.agent (runtime)',
        'HOST                  ASKED  ALLOWED  REFUSED  FAILED  UP     DOWN     FIRST                LAST                 WHY',
        'api.example:443       3      3        0        1       512 B  3.0 MiB  2026-01-02 03:04:05  2026-01-02 03:05:05',
        String.raw`b\x1b[2J.example:443  3      0        3        0       0 B    0 B      2026-01-02 03:04:05  2026-01-02 03:05:05  not on the allow list`,
        '[2001:db8::1]:443     3      0        3        0       0 B    0 B      2026-01-02 03:04:05  2026-01-02 03:05:05  not on the allow list',
        'and 2 more hosts',
        'and 4 requests that were not understood',
        'and 7 requests of which only the number was kept',
        '',
        'One of the refused is opened by an allow entry: kraft view egress abcd2345 --suggest',
        '',
      ].join('\n'),
    );
  });

  it('says that nothing ran under a network policy', () => {
    const text = renderEgress({ ...view, sessions: [], suggestions: [] }, createStyle(false), null);
    expect(text).toBe('No session of this item ran under a network policy.\n');
  });
});
