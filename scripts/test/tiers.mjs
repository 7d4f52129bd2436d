// The tiers of `npm test`: static checks, then vitest's projects. Each gives how many passed, failed and were skipped.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { engineEnvironment } from '../setup/engines.mjs';
import { nodeProgram } from '../setup/node.mjs';
import { projectDir } from '../setup/places.mjs';
import { say } from '../setup/progress.mjs';
import { runLive } from './stream.mjs';

const MINUTE_MS = 60_000;
const bin = (...parts) => path.join(projectDir, 'node_modules', ...parts);

const generators = [
  ['schemas and configuration reference', 'generate.mjs'],
  ['error reference', 'generate-errors.mjs'],
];

/** The static checks; each one counts as one test. */
function listChecks() {
  const checks = [
    { title: 'types', args: [bin('typescript', 'bin', 'tsc'), '--noEmit'] },
    { title: 'lint', args: [bin('eslint', 'bin', 'eslint.js'), '.', '--max-warnings', '0'] },
    { title: 'format', args: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '.'] },
  ];
  const names = ['knip.json', 'knip.jsonc', 'knip.config.ts', 'knip.config.mjs'];
  if (names.some((name) => existsSync(path.join(projectDir, name)))) {
    checks.push({ title: 'dead code', args: [bin('knip', 'bin', 'knip.js')] });
  }
  for (const [title, name] of generators) {
    const file = path.join(projectDir, 'scripts', name);
    checks.push({ title, args: [file, '--check'] });
  }
  return checks;
}

async function runStatic() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { title, args } of listChecks()) {
    const options = { title, env: engineEnvironment(), cwd: projectDir, timeoutMs: 10 * MINUTE_MS };
    const code = await runLive(nodeProgram(), args, options);
    say(`   ${code === 0 ? 'passed' : 'FAILED'}  ${title}`);
    counts[code === 0 ? 'passed' : 'failed'] += 1;
  }
  return counts;
}

/**
 * Counts of vitest's JSON report. A file that did not load counts as one failure, and so does an exit code that no
 * failed test explains. Pure.
 */
export function countReport(report, exitCode) {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function runProject(project, minutes) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kraft-report-'));
  try {
    const file = path.join(folder, 'report.json');
    const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${file}`];
    const args = [bin('vitest', 'vitest.mjs'), 'run', '--project', project, ...reporters];
    const options = { title: project, env: engineEnvironment(), cwd: projectDir, timeoutMs: minutes * MINUTE_MS };
    const code = await runLive(nodeProgram(), args, options);
    return countReport(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null, code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In order, cheap ones first. */
export const tiers = [
  { name: 'static', run: runStatic },
  { name: 'unit', run: () => runProject('unit', 10) },
  { name: 'int', run: () => runProject('int', 20) },
  { name: 'e2e', run: () => runProject('e2e', 40) },
];
