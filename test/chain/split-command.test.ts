import { describe, expect, test } from 'vitest';
import { splitCommand } from '../../src/chain/index.ts';

describe('splitCommand (CC 6.5: no shell)', () => {
  test.each([
    ['npm test', ['npm', 'test']],
    ['  go   test ./... ', ['go', 'test', './...']],
    [`pytest -k "a | b" 'c d'`, ['pytest', '-k', 'a | b', 'c d']],
    [`sh -c 'npm ci && npm test'`, ['sh', '-c', 'npm ci && npm test']],
    [`a"b c"'d e'f`, ['ab cd ef']],
    [`x "" ''`, ['x', '', '']],
    [String.raw`x a\ b "\"q\" \n \$"`, ['x', 'a b', String.raw`"q" \n $`]],
    ['echo $HOME *.ts', ['echo', '$HOME', '*.ts']],
    [`x '\\'`, ['x', '\\']],
  ])('%s', (command, words) => {
    expect(splitCommand(command)).toEqual(words);
  });

  test.each([
    ['', /names no program/],
    ['   ', /names no program/],
    [`''`, /names no program/],
    ['npm ci && npm test', /& means something to a shell/],
    ['npm test | tee log', /\| means/],
    ['npm test > log', /> means/],
    ['echo $(date)', /\$\( means/],
    ['echo `date`', /` means/],
    [`echo "open`, /" is not closed/],
    [`echo 'open`, /' is not closed/],
    ['echo x\\', /ends with a backslash/],
    ['CI=1 npm test', /CI=… sets a variable/],
  ])('refuses %s, says why and how to write it', (command, why) => {
    expect(() => splitCommand(command)).toThrow(why);
    expect(() => splitCommand(command)).toThrow(
      expect.objectContaining({
        code: 'KRAFT_COMMAND_UNSPLITTABLE',
        remedy: expect.stringContaining("sh -c '…'") as string,
      }),
    );
  });
});
