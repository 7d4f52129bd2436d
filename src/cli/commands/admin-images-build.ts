import { safeLine } from '../../base/index.ts';
import { defineCommand, flag, jsonOption } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { printJson } from '../print-json.ts';

export const adminImagesBuild = defineCommand({
  description:
    'Builds Kraft’s images on this machine from the sources inside the package. What was built from the same sources is\nleft as it is. Needs no daemon.',
  arguments: [{ name: 'NAME', required: false, help: 'One image (default: all)' }],
  options: { force: flag('Build what is there already, too'), ...jsonOption },
  examples: [
    { line: 'kraft admin images build', does: 'Build what is missing or outdated.' },
    { line: 'kraft admin images build worker --force', does: 'Build the worker image anew.' },
  ],
  async run(parsed, io) {
    const { openImages } = await import('../../compose/index.ts');
    const images = await openImages(io);
    const name = parsed.arguments[0] ?? null;
    const built = await images.build({
      names: name === null ? null : [name],
      force: parsed.options.force,
      onProgress: (line) => io.err(`${safeLine(line)}\n`),
    });
    if (parsed.options.json) printJson(io, built);
    else {
      for (const image of built) {
        const what = image.built ? 'built' : 'is current';
        io.out(`${image.tags[0] ?? image.name} ${what} (${Math.round(image.sizeBytes / 1_000_000)} MB)\n`);
      }
    }
    return exitCodes.ok;
  },
});
