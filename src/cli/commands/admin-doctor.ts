import { asKraftError } from '../../base/index.ts';
import type { DoctorReport, DoctorRow } from '../../compose/index.ts';
import { defineCommand, jsonOption, type Io } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { openRemoteKraft } from '../remote-kraft.ts';
import { renderDoctor } from '../render-doctor.ts';

export const adminDoctor = defineCommand({
  description:
    'Checks this host and every connected repository by the steps of a launch. With a daemon, the daemon is asked, since\nits environment is what launches get; without one, Kraft checks with the environment of this shell. Exits 1 when\nsomething fails; warnings do not count.',
  arguments: [],
  options: jsonOption,
  examples: [
    { line: 'kraft admin doctor', does: 'Every check with its remedy.' },
    { line: 'kraft admin doctor --json', does: 'The same for programs and for bug reports.' },
  ],
  async run(parsed, io) {
    const report = await askDoctor(io);
    if (parsed.options.json) printJson(io, report);
    else io.out(renderDoctor(report, io.style));
    return report.ok ? exitCodes.ok : exitCodes.failed;
  },
});

/** A daemon that is there and cannot be asked is itself a finding. */
const unaskable: ReadonlySet<string> = new Set(['KRAFT_DAEMON_PROTOCOL', 'KRAFT_DAEMON_UNREACHABLE']);

/** The daemon's report; else this process's own, with a row that says why. */
async function askDoctor(io: Io): Promise<DoctorReport> {
  try {
    return await openRemoteKraft(io).doctor();
  } catch (thrown) {
    const error = asKraftError(thrown);
    const absent = error.code === 'KRAFT_DAEMON_NOT_RUNNING';
    if (!absent && !unaskable.has(error.code)) throw error;
    if (absent) io.err('No daemon answers: checking with the environment of this shell.\n');
    const { runDoctor } = await import('../../compose/index.ts');
    const report = await runDoctor(io);
    if (absent) return report;
    const row: DoctorRow = {
      name: 'daemon',
      outcome: 'fail',
      detail: error.report.message,
      remedy: error.report.remedy,
      errors: [error.report],
    };
    return { ok: false, rows: report.rows.map((each) => (each.name === 'daemon' ? row : each)) };
  }
}
