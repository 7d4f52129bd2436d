// Writes docs/errors.md from the catalogues of src/*/errors.ts. With --check it writes nothing and fails when the page
// differs. Needs Node 24 (it imports the TypeScript sources).
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const page = join(root, 'docs/errors.md');
const { describeError } = await import('../src/base/index.ts');

/** Folder -> its entries, in the order of the source. */
async function readCatalogues() {
  const folders = (await readdir(join(root, 'src'), { withFileTypes: true })).filter((e) => e.isDirectory());
  const found = new Map();
  for (const { name } of folders.sort((a, b) => a.name.localeCompare(b.name))) {
    const files = (await readdir(join(root, 'src', name))).filter((file) => file === 'errors.ts');
    for (const file of files) {
      const exported = Object.values(await import(join(root, 'src', name, file)));
      const specs = exported
        .filter((value) => value?.specs !== undefined)
        .flatMap((value) => Object.entries(value.specs));
      if (specs.length > 0)
        found.set(
          name,
          specs.map(([code, spec]) => describeError(code, spec)),
        );
    }
  }
  return found;
}

const blame = {
  usage: 'the command line was not understood or does not apply',
  config: 'something in the configuration or the repository has to change',
  environment: 'something on this machine has to change',
  denied: 'Kraft refused it on purpose',
  limit: 'a limit was reached, or cannot be enforced',
  upstream: 'another service failed',
  bug: 'a fault of Kraft itself',
};

/** Angle brackets would read as HTML outside code spans. */
const escape = (text) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('');

function render(catalogues) {
  const sections = [...catalogues].map(([folder, entries]) => {
    const rows = entries.map(
      (e) => `### ${e.code}\n\n${escape(e.message)}\n\n- kind: ${e.kind}\n- remedy: ${escape(e.remedy)}\n`,
    );
    return `## ${folder}\n\n${rows.join('\n')}`;
  });
  const kinds = Object.entries(blame).map(([kind, text]) => `| \`${kind}\` | ${text} |`);
  return `# Errors

Generated from the catalogues by \`npm run generate\`; do not edit. Codes are permanent, texts may improve. A word in angle
brackets stands for what a real message names. \`kraft admin explain CODE\` prints one entry.

| kind | who has to act |
|---|---|
${kinds.join('\n')}

${sections.join('\n')}`;
}

const wanted = render(await readCatalogues());
if ((await readFile(page, 'utf8').catch(() => '')) !== wanted) {
  if (process.argv.includes('--check')) {
    console.log('out of date: docs/errors.md. Run `npm run generate` and commit what it writes.');
    process.exitCode = 1;
  } else {
    await writeFile(page, wanted);
    console.log('wrote: docs/errors.md');
  }
}
