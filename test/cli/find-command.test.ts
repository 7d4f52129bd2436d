import { describe, expect, it } from 'vitest';
import { commandTable, groups, renderName } from '../../src/cli/command-table.ts';
import { findCommand } from '../../src/cli/find-command.ts';
import { renderCommandHelp, renderGroup, renderOverview } from '../../src/cli/render-help.ts';

const verbs =
  `repo connect, repo list, repo disconnect, repo check-host, repo allow, repo deny, repo path, item create, item start, item pause, item resume,
  item retry, item skip, item approve, item reject, item comment, item review, item reply, item resolve, item reopen,
  item abandon, item archive, view list, view watch, view show, view events, view logs, view diff, view egress,
  view threads, admin start, admin stop, admin health, admin doctor, admin storage, admin images build, admin images list,
  admin chains lint, admin chains show, admin explain, admin completion`
    .split(',')
    .map((verb) => verb.trim());

describe('findCommand', () => {
  it('knows exactly the verbs of the command line', () => {
    expect(commandTable.map((entry) => entry.words.join(' '))).toEqual(verbs);
  });

  it.each(verbs)('finds `kraft %s` with what follows it', (verb) => {
    expect(findCommand([...verb.split(' '), 'x', '--json'])).toMatchObject({ kind: 'run', args: ['x', '--json'] });
  });

  it('takes bare kraft for admin start (CC 5.1)', () => {
    expect(findCommand([])).toMatchObject({ kind: 'run', entry: { words: ['admin', 'start'] }, args: [] });
  });

  it.each([
    { argv: ['--version'], asked: { kind: 'version' } },
    { argv: ['--help'], asked: { kind: 'help', about: null } },
    { argv: ['help'], asked: { kind: 'help', about: null } },
    { argv: ['repo'], asked: { kind: 'help', about: 'repo' } },
    { argv: ['admin', 'images', '--help'], asked: { kind: 'help', about: 'admin images' } },
    { argv: ['help', 'view', 'diff'], asked: { kind: 'help', about: { words: ['view', 'diff'] } } },
    { argv: ['item', 'create', 'x', '-h'], asked: { kind: 'help', about: { words: ['item', 'create'] } } },
    { argv: ['item', 'create', '--', '-h'], asked: { kind: 'run', args: ['--', '-h'] } },
  ])('reads $argv', ({ argv, asked }) => {
    expect(findCommand(argv)).toMatchObject(asked);
  });

  it.each([
    { argv: ['repo', 'conect'], meant: 'kraft repo connect' },
    { argv: ['veiw', 'list'], meant: 'kraft view list' },
    { argv: ['veiw', 'nothing'], meant: 'kraft view' },
    { argv: ['doctor'], meant: 'kraft admin doctor' },
    { argv: ['admin', 'images', 'biuld'], meant: 'kraft admin images build' },
  ])('says what $argv probably meant', ({ argv, meant }) => {
    expect(() => findCommand(argv)).toThrow(
      expect.objectContaining({
        code: 'KRAFT_COMMAND_UNKNOWN',
        remedy: expect.stringContaining(`Did you mean \`${meant}\`?`) as unknown,
      }),
    );
  });

  it('points at help when nothing is near', () => {
    expect(() => findCommand(['frobnicate'])).toThrow(expect.objectContaining({ remedy: 'See `kraft --help`.' }));
  });
});

describe('help', () => {
  it('lists every group and verb on the first page', () => {
    const text = renderOverview('1.2.3');
    for (const entry of commandTable) expect(text).toContain(`${renderName(entry)} `);
    expect(text).toContain('kraft 1.2.3');
  });

  it.each(groups)('lists the verbs of $name', ({ name }) => {
    for (const entry of commandTable) {
      if (entry.words[0] === name) expect(renderGroup(name)).toContain(entry.summary);
    }
  });

  it.each(commandTable.map((entry) => ({ entry, name: renderName(entry) })))(
    'explains $name with every option and examples that parse',
    async ({ entry, name }) => {
      const command = await entry.load();
      const text = renderCommandHelp(entry, command);
      expect(text).toContain(`Usage: ${name}`);
      for (const option of Object.keys(command.options)) expect(text).toContain(`--${option}`);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const { line } of command.examples) expect(line).toContain(name);
    },
  );

  it.each(commandTable.map((entry) => ({ entry, name: renderName(entry) })))(
    'gives $name --json where CC 5.1 wants it, and only there',
    async ({ entry, name }) => {
      const without = [
        'kraft view watch',
        'kraft repo path',
        'kraft admin start',
        'kraft admin stop',
        'kraft admin completion',
      ];
      const { options } = await entry.load();
      expect('json' in options).toBe(!without.includes(name));
    },
  );
});
