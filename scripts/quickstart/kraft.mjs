// The real command line, run from the sources as a person would run it.

import { spawn } from 'node:child_process';
import path from 'node:path';
import { run, runOrRefuse } from '../setup/commands.mjs';
import { engineEnvironment } from '../setup/engines.mjs';
import { nodeProgram } from '../setup/node.mjs';
import { projectDir } from '../setup/places.mjs';
import { say } from '../setup/progress.mjs';

const CALL_MS = 120_000;
const main = path.join(projectDir, 'src', 'cli', 'main.ts');

function renderCommand(args) {
  return `kraft ${args.map((word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word}'`)).join(' ')}`;
}

export function openKraft({ home, repository }, engine) {
  const env = { ...engineEnvironment(), ...engine.env, PATH: engineEnvironment().PATH, KRAFT_HOME: home };
  const options = { env, cwd: repository, timeoutMs: CALL_MS };
  return {
    /** Says the command, runs it and shows what it prints. */
    async show(args) {
      say(`   $ ${renderCommand(args)}`);
      await runOrRefuse(nodeProgram(), [main, ...args], { ...options, show: true });
    },
    async json(args) {
      say(`   $ ${renderCommand(args)}`);
      return JSON.parse((await runOrRefuse(nodeProgram(), [main, ...args, '--json'], options)).stdout);
    },
    quiet: (args) => run(nodeProgram(), [main, ...args], options),
    async text(args) {
      return (await runOrRefuse(nodeProgram(), [main, ...args], options)).stdout;
    },
    /** A command to its end, however long it takes; what it prints is given piece by piece and not kept. */
    stream(args, onBytes) {
      say(`   $ ${renderCommand(args)}`);
      const child = spawn(nodeProgram(), [main, ...args], { env, cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stdout.on('data', onBytes);
      child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(-65_536)));
      return new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })));
    },
    /** A command that goes on until it is stopped, with its output on the terminal. */
    follow(args) {
      say(`   $ ${renderCommand(args)}`);
      return spawn(nodeProgram(), [main, ...args], { env, cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] });
    },
  };
}
