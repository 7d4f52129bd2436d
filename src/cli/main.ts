#!/usr/bin/env node
import { readFileSync } from 'node:fs';

// Kraft's own files are for their owner alone; git calls in a person's repository get the person's umask back.
const personUmask = process.umask(0o077);

// A reader that went away (`kraft view list | head`) ends the command without a word.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(0);
    throw error;
  });
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const [{ runCli }, { openIo }] = await Promise.all([import('./run-cli.ts'), import('./open-io.ts')]);
  process.exitCode = await runCli(argv, openIo({ version, personUmask }));
}
