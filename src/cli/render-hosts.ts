import { safeLine } from '../base/index.ts';
import type { EditHostsReport, HostCheck } from '../compose/index.ts';
import type { Style } from './terminal.ts';

/** `repo check-host`: the verdict, what decided, and what would change it. */
export function renderHostCheck({ verdict, label, addresses, harnesses, remedy }: HostCheck, style: Style): string {
  const asked = renderTarget(verdict);
  const where = `in the ${verdict.phase} phase of ${safeLine(label)}`;
  const rule = verdict.rule === null ? '' : ` (${safeLine(verdict.rule)})`;
  if (!verdict.allow) {
    return `${style.bold('refused:')} ${asked} ${where}: ${verdict.reason}${rule}.\n  ${safeLine(remedy ?? '')}.\n`;
  }
  const lines = [`${style.bold('allowed:')} ${asked} ${where}: ${verdict.reason}${rule}.\n`];
  if (harnesses.length > 0) {
    lines.push(`  Only for sessions of ${harnesses.join(', ')}, which bring the host along; not for tests.\n`);
  }
  if (addresses !== null) lines.push(`  It resolves to ${safeLine(addresses.join(', '))}.\n`);
  return lines.join('');
}

function renderTarget({ host, port }: HostCheck['verdict']): string {
  return safeLine(host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
}

/** `repo allow` and `repo deny`: what was written, what stood there already, and what still refuses. */
export function renderEditedHosts(report: EditHostsReport, style: Style): string {
  const { list, phase } = report;
  const other = list === 'allow' ? 'deny' : 'allow';
  const verb = list === 'allow' ? 'allowed' : 'denied';
  const changed = report.added.length + report.moved.length > 0;
  return [
    ...report.added.map((host) => `${style.bold(`${verb}:`)} ${safeLine(host)}\n`),
    ...report.present.map((host) => `already ${verb}: ${safeLine(host)}\n`),
    ...report.moved.map((host) => `taken off the ${other} list: ${safeLine(host)}\n`),
    ...report.denied.map(
      ({ host, by }) =>
        `${style.yellow('warning:')} ${safeLine(host)} stays refused: ${safeLine(by)} stands on the deny list, which wins.\n`,
    ),
    changed
      ? `Written for the ${phase} phase of ${safeLine(report.label)}. A stopped item takes it up with \`kraft item retry ID\`.\n`
      : `Nothing to write for the ${phase} phase of ${safeLine(report.label)}.\n`,
  ].join('');
}
