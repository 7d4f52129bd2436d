// npm test: the set-up, then every tier. The last line is `N passed, N failed, N skipped`, over all tiers.

import process from 'node:process';
import { parseArgs } from 'node:util';
import { prepare, prepareSources } from './setup/prepare.mjs';
import { SetupRefusal, runMain, say, sayDurations } from './setup/progress.mjs';
import { tiers } from './test/tiers.mjs';

const help = `npm test [-- OPTIONS]

  --only LIST   tiers to run, of ${tiers.map((tier) => tier.name).join(',')}; without e2e no engine is set up
  --yes         install system packages without asking (so do CI=true and a missing terminal)

With KRAFT_E2E=required a test that is skipped fails the run.`;

function chooseTiers(only) {
  if (only === undefined) return tiers;
  const names = only.split(',');
  const unknown = names.filter((name) => !tiers.some((tier) => tier.name === name));
  if (unknown.length > 0) throw new SetupRefusal(`No tier is named ${unknown.join(', ')}.\n${help}`);
  return tiers.filter((tier) => names.includes(tier.name));
}

async function runTiers(chosen) {
  const rows = [];
  for (const tier of chosen) {
    say(`\n== ${tier.name}`);
    const begin = performance.now();
    const counts = await tier.run();
    rows.push({ ...counts, name: tier.name, minutes: (performance.now() - begin) / 60_000 });
  }
  return rows;
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(help);
  const chosen = chooseTiers(values.only);
  if (chosen.some((tier) => tier.name === 'e2e')) await prepare({ yes: values.yes, forTests: true });
  else await prepareSources();
  sayDurations();
  const rows = await runTiers(chosen);
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const total = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  say('\nMinutes per tier:');
  for (const row of rows) {
    const counts = `${row.passed} passed, ${row.failed} failed, ${row.skipped} skipped`;
    say(`  ${row.minutes.toFixed(1).padStart(6)}  ${row.name.padEnd(7)} ${counts}`);
  }
  const mustNotSkip = process.env.KRAFT_E2E === 'required' && total.skipped > 0;
  if (mustNotSkip) say('KRAFT_E2E=required: skipped tests fail this run.');
  say(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed > 0 || mustNotSkip ? 1 : 0;
});
