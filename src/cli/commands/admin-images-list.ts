import { defineCommand, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';
import { plain, renderTable } from '../render-table.ts';

export const adminImagesList = defineCommand({
  description: 'Lists Kraft’s images on this machine’s engine: current, outdated or missing. Needs no daemon.',
  arguments: [],
  options: jsonOption,
  examples: [{ line: 'kraft admin images list', does: 'See what `kraft admin images build` would build.' }],
  async run(parsed, io) {
    const { openImages } = await import('../../compose/index.ts');
    const rows = await (await openImages(io)).list();
    if (parsed.options.json) printJson(io, rows);
    else {
      const headings = ['NAME', 'STATE', 'IMAGE', 'SIZE', 'ENGINE'];
      io.out(
        renderTable(
          headings.map((heading) => ({ heading, shrinks: heading === 'IMAGE' })),
          rows.map((row) =>
            [row.name, row.state, row.reference, renderMegabytes(row.sizeBytes), row.engine].map(plain),
          ),
          { columns: io.terminal.columns, heading: (text) => io.style.bold(text) },
        ),
      );
    }
    return exitCodes.ok;
  },
});

function renderMegabytes(bytes: number): string {
  return bytes === 0 ? '' : `${Math.round(bytes / 1_000_000)} MB`;
}
