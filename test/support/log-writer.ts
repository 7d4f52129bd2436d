import { systemClock } from '../../src/base/index.ts';
import { openServerLog } from '../../src/daemon/index.ts';

// A process of its own that logs more to its standard error than a pipe holds, and says on standard output how far it got:
// for tests that do not read the pipe. Ends as the daemon does.
const lines = Number(process.argv[2]);
const turns = Number(process.argv[3]);
{
  await using log = openServerLog({ fd: 2, path: null, maxBytes: 1024, keep: 3, clock: systemClock });
  for (let line = 0; line < lines; line++) log.info(`${line} ${'x'.repeat(1000)}`);
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  process.stdout.write(`${turns} turns of the event loop\n`);
}
process.stdout.write('closed\n');
process.exit(0);
