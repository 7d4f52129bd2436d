import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliUser } from '../support/run-cli.ts';

let user: CliUser;
let chains: string;
beforeEach(() => {
  user = new CliUser();
  chains = join(user.home, 'config', 'chains');
  mkdirSync(chains, { recursive: true, mode: 0o700 });
});
afterEach(() => user[Symbol.asyncDispose]());

const write = (name: string, text: string): string => {
  const file = join(chains, name);
  writeFileSync(file, text);
  return file;
};

describe('kraft admin chains', () => {
  it('lints every chain without a daemon, and says of a sound one what is not built yet', async () => {
    write(
      'mine.yaml',
      'nodes:\n  - {id: a, extends: default/implementation, read_only: true}\n  - {id: ok, kind: gate, reject_to: a}\n',
    );

    const printed = await user.must(['admin', 'chains', 'lint']);

    expect(printed).toContain('quick-task: ok\n');
    expect(printed).toContain('mine: ok\n    not built yet: a: read_only\n');
  });

  it('prints every problem of every file with its line, and ends with 1', async () => {
    const one = write('one.yaml', 'nodes:\n  - id: a\n    taks: []\n  - {id: b, kind: gatee}\n');
    const two = write('two.yaml', 'nodes: [{id: a, extends: nope/a}]\n');

    const end = await user.kraft(['admin', 'chains', 'lint', one, two]);

    expect(end).toMatchObject({ exitCode: 1, stderr: '' });
    expect(end.stdout).toContain(`${one}:3: nodes[0].taks is not known here.\n    Did you mean \`tasks\`?\n`);
    expect(end.stdout).toContain(`${one}:4: nodes[1].kind must be exec or gate.`);
    expect(end.stdout).toContain(`${two}:1: extends names the chain nope, which does not exist.`);

    const asJson = JSON.parse((await user.kraft(['admin', 'chains', 'lint', two, '--json'])).stdout) as unknown;
    expect(asJson).toMatchObject([{ name: two, error: { code: 'KRAFT_CHAIN_FILE_INVALID', details: { line: 1 } } }]);
  });

  it('shows a chain written out, with the policy that holds at each part and what does not run', async () => {
    writeFileSync(join(user.home, 'config', 'policy.yaml'), 'maxima: {max_attempts: 4}\n');
    write(
      'mine.yaml',
      'policy: {max_attempts: 9}\nnodes: [{id: a, extends: default/implementation, read_only: true, policy: {deny_tools: [Bash]}}]\n',
    );

    const printed = await user.must(['admin', 'chains', 'show', 'mine']);

    expect(printed).toContain('task a.main.agent (agent)\n    denyTools: Bash\n    maxAttempts: 4\n');
    expect(printed).toContain('node a (exec)\n    denyTools: Bash\n    maxAttempts: 4\n    not built yet: read_only');

    const outline = JSON.parse(await user.must(['admin', 'chains', 'show', 'mine', '--json'])) as unknown;
    expect(outline).toMatchObject({
      id: 'mine',
      nodes: [{ id: 'a', tasks: [{ id: 'agent', kind: 'agent' }] }],
      unbuilt: ['a: read_only'],
    });
  });
});
