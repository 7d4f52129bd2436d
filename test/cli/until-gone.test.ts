import { describe, expect, it } from 'vitest';
import { untilGone } from '../../src/cli/until-gone.ts';

describe('untilGone', () => {
  it('says so when the process is still there after its time', async () => {
    await expect(untilGone(process.pid, 30)).rejects.toMatchObject({
      code: 'KRAFT_DAEMON_STAYS',
      report: { details: { pid: process.pid, seconds: 0.03 } },
    });
  });

  it('comes back at once when the process is gone', async () => {
    await expect(untilGone(2 ** 22 + 1, 10_000)).resolves.toBeUndefined();
  });
});
