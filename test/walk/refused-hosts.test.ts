import { describe, expect, it } from 'vitest';
import type { ItemStop } from '../../src/items/index.ts';
import { tellRefusedHosts } from '../../src/walk/refused-hosts.ts';

const stop: ItemStop = {
  kind: 'failed',
  code: null,
  reason: 'Tests fail.',
  remedy: 'Read the output.',
  sessionId: 's1',
  facts: { exit_code: 1 },
};
const item = { id: 'abcd2345', repo: '/srv/my shop' };
const refused = (host: string, reason = 'not on the allow list', phase: 'install' | 'runtime' = 'install') => ({
  ...{ host, port: 443, phase, reason, count: 1 },
});

describe('the refused hosts beside a stop', () => {
  it('are told with the command that allows each, and the first in the remedy', () => {
    const told = tellRefusedHosts(stop, item, [refused('a.example'), refused('b.example', undefined, 'runtime')]);
    expect(told.facts).toMatchObject({
      exit_code: 1,
      refused_hosts: [
        {
          host: 'a.example',
          port: 443,
          phase: 'install',
          reason: 'not on the allow list',
          allow: "kraft repo allow a.example:443 --phase install --repo '/srv/my shop'",
        },
        { host: 'b.example', phase: 'runtime', allow: "kraft repo allow b.example:443 --repo '/srv/my shop'" },
      ],
    });
    expect(told.remedy).toBe(
      "Read the output. If it failed for a refused host, first run `kraft repo allow a.example:443 --phase install --repo '/srv/my shop'`, or what of `kraft view egress abcd2345 --suggest` it needs.",
    );
    expect(told).toMatchObject({ kind: 'failed', reason: 'Tests fail.', sessionId: 's1' });
  });

  it.each(['on the deny list', 'an address that is never reached', 'a cloud metadata service'])(
    'have no command where no allow entry opens one: %s',
    (reason) => {
      const told = tellRefusedHosts(stop, item, [refused('a.example', reason)]);
      expect(told.facts['refused_hosts']).toMatchObject([{ host: 'a.example', reason, allow: null }]);
      expect(told.remedy).toBe(stop.remedy);
    },
  );

  it('are bounded, and those left out are counted', () => {
    const many = Array.from({ length: 33 }, (_, at) => refused(`h${at}.example`));
    const { facts } = tellRefusedHosts(stop, item, many);
    expect(facts['refused_hosts']).toHaveLength(20);
    expect(facts['refused_hosts_left_out']).toBe(13);
  });

  it('change nothing when there are none', () => {
    expect(tellRefusedHosts(stop, item, [])).toBe(stop);
  });
});
