import { describe, expect, it } from 'vitest';
import { flag, itemArgument, valued } from '../../src/cli/command.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';

const spec = {
  arguments: [itemArgument],
  options: { json: flag('as JSON'), lines: valued('N', 'how many', 'n'), follow: flag('go on', 'f') },
} as const;

const parse = (...args: string[]) => parseArguments('kraft view logs', spec, args);

describe('parseArguments', () => {
  it('gives every option a value: false or null where it was not typed', () => {
    expect(parse()).toEqual({ arguments: [null], options: { json: false, lines: null, follow: false } });
  });

  it.each([
    { args: ['abc', '--lines', '5'], lines: '5' },
    { args: ['--lines=5', 'abc'], lines: '5' },
    { args: ['-n', '5', 'abc'], lines: '5' },
    { args: ['--lines=-5', 'abc'], lines: '-5' },
    { args: ['--lines=', 'abc'], lines: '' },
    { args: ['--lines', '', 'abc'], lines: '' },
    { args: ['--lines', '-', 'abc'], lines: '-' },
  ])('takes the value of $args', ({ args, lines }) => {
    expect(parse(...args)).toMatchObject({ arguments: ['abc'], options: { lines } });
  });

  it('gives a last argument that takes many all that follows', () => {
    const many = { arguments: [{ name: 'FILE', required: false, many: true, help: '' }], options: {} } as const;
    expect(parseArguments('kraft x', many, ['a', 'b', 'c']).arguments).toEqual(['a', 'b', 'c']);
    expect(parseArguments('kraft x', many, []).arguments).toEqual([null]);
  });

  it('leaves out the optional argument in front of a required one first', () => {
    const place = { arguments: [itemArgument, { name: 'FILE:LINE', required: true, help: '' }], options: {} } as const;
    expect(parseArguments('kraft item comment', place, ['a:1']).arguments).toEqual([null, 'a:1']);
    expect(parseArguments('kraft item comment', place, ['k7mq', 'a:1']).arguments).toEqual(['k7mq', 'a:1']);
    expect(() => parseArguments('kraft item comment', place, [])).toThrow(/FILE:LINE/);
  });

  it('takes what follows -- as it is', () => {
    expect(parse('--', '--json').arguments).toEqual(['--json']);
  });

  it.each([
    { args: ['--jsno'], code: 'KRAFT_OPTION_UNKNOWN', says: '`--json`' },
    { args: ['-x'], code: 'KRAFT_OPTION_UNKNOWN', says: 'kraft view logs --help' },
    { args: ['--lines'], code: 'KRAFT_OPTION_VALUE', says: 'needs a value' },
    { args: ['--lines', '--json'], code: 'KRAFT_OPTION_VALUE', says: '--lines=--json' },
    { args: ['--json=yes'], code: 'KRAFT_OPTION_VALUE', says: 'takes no value' },
    { args: ['--json', '--json'], code: 'KRAFT_OPTION_VALUE', says: 'twice' },
    { args: ['a', 'b'], code: 'KRAFT_ARGUMENT_SURPLUS', says: '`b`' },
  ])('refuses $args', ({ args, code, says }) => {
    expect(() => parse(...args)).toThrow(
      expect.objectContaining({
        code,
        report: expect.toSatisfy((report: { message: string; remedy: string }) =>
          `${report.message} ${report.remedy}`.includes(says),
        ) as unknown,
      }),
    );
  });

  it('names the argument that is missing', () => {
    const required = { arguments: [{ name: 'TITLE', required: true, help: '' }], options: {} };
    expect(() => parseArguments('kraft item create', required, [])).toThrow(
      expect.objectContaining({ code: 'KRAFT_ARGUMENT_MISSING', message: '`kraft item create` needs TITLE.' }),
    );
  });
});
