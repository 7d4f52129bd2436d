import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// An agent for tests whose log is a stream as `claude` prints it. It follows the lines of its prompt that begin with its name
// (`alpha: …`), or with its name and which of its runs this is (`alpha.2: …`); without any it is done.

const [name = '', ...args] = process.argv.slice(2);
const home = process.env['HOME'] ?? '';
const prompt = args[args.indexOf('-p') + 1] ?? '';
const run = countRun();
print({ started: { name, args } });

for (const line of prompt.split('\n')) {
  const match = /^(?<who>[a-z]+)(?:\.(?<run>\d+))?: (?<verb>[a-z]+) ?(?<rest>.*)$/u.exec(line.trim())?.groups;
  if (match?.['who'] !== name || (match['run'] !== undefined && Number(match['run']) !== run)) continue;
  const rest = match['rest'] ?? '';
  switch (match['verb']) {
    case 'session':
      print({ type: 'system', subtype: 'init', session_id: rest, model: 'model-1' });
      break;
    case 'use': {
      const [input = 0, output = 0, usd = null] = rest.split(' ').map(Number);
      const usage = { input_tokens: input, output_tokens: output, cache_read_input_tokens: 1000 };
      print({ type: 'assistant', message: { id: `m${Math.random()}`, model: 'model-1', usage } });
      if (usd !== null) print({ type: 'result', usage, total_cost_usd: usd });
      break;
    }
    case 'limited':
      print({
        type: 'rate_limit_event',
        rate_limit_info: {
          status: 'rejected',
          rateLimitType: 'five_hour',
          ...(rest === '' ? {} : { resetsAt: Math.round(Date.parse(rest) / 1000) }),
        },
      });
      process.exit(1);
      break;
    case 'keep': {
      const path = join(home, '..', 'run', 'sandbox-home', rest);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
      break;
    }
    case 'write':
      writeFileSync(rest, 'written\n');
      break;
    case 'hang':
      print({ hanging: true });
      setInterval(() => undefined, 1000);
      await new Promise(() => undefined);
      break;
    default:
      throw new Error(`no such word: ${line}`);
  }
}
writeFileSync(process.env['KRAFT_RESULT_PATH'] ?? '', JSON.stringify({ status: 'done' }));

function print(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function countRun(): number {
  const path = join(home, `runs-${name}`);
  let runs = 0;
  try {
    runs = Number(readFileSync(path, 'utf8'));
  } catch {
    // Its first.
  }
  writeFileSync(path, String(runs + 1));
  return runs + 1;
}
