import { describe, expect, it } from 'vitest';
import { listPrograms } from '../../src/launch/index.ts';
import { type StreamEvidence, judgeOutput } from '../../src/launch/judge-output.ts';
import { type LogCap, decideDrop } from '../../src/launch/log-cap.ts';
import { planCaBundle } from '../../src/launch/plan-ca.ts';
import { refuseUnbuilt } from '../../src/launch/probe-machine.ts';
import { findLeftovers } from '../../src/launch/cleanup.ts';
import { judgeMounts } from '../../src/launch/verify-mounts.ts';
import { parseResult, resultSizeMaxBytes } from '../../src/launch/read-result.ts';
import { plainSandbox } from './sample-launch.ts';

// PF-R20
describe('judgeOutput', () => {
  const whole: StreamEvidence = {
    clientExitCode: 0,
    containerExitCode: 0,
    clientEndedFirst: false,
    notCreated: false,
    droppedBytes: 0,
  };

  it.each<[string, Partial<StreamEvidence>]>([
    ['both ended alike', {}],
    ['both were killed alike', { clientExitCode: 137, containerExitCode: 137 }],
    ['the engine could not say how the container ended', { containerExitCode: null }],
    ['there never was a container', { notCreated: true, clientExitCode: 125, containerExitCode: null }],
  ])('finds nothing missing when %s', (_what, changes) => {
    expect(judgeOutput({ ...whole, ...changes })).toBeNull();
  });

  it.each<[string, Partial<StreamEvidence>, string]>([
    ['the client ended first', { clientEndedFirst: true }, 'before the container'],
    ['the client left no code', { clientExitCode: null }, 'was killed'],
    ['the codes differ', { clientExitCode: 137 }, 'ended with code 137 and the container with 0'],
  ])('says that the end may be lost when %s', (_what, changes, words) => {
    const output = judgeOutput({ ...whole, ...changes });
    expect(output?.reason).toContain(words);
    expect(output?.droppedBytes).toBeNull();
  });

  it('says how much the cap dropped', () => {
    const output = judgeOutput({ ...whole, droppedBytes: 4096 });
    expect(output?.reason).toContain('cap');
    expect(output?.droppedBytes).toBe(4096);
  });
});

describe('decideDrop', () => {
  const cap: LogCap = { headBytes: 8192, tailBytes: 8192, slackBytes: 4096 };

  it('leaves a log alone that is under cap and slack', () => {
    expect(decideDrop(8192 + 8192 + 4096, null, cap)).toBeNull();
  });

  it('drops whole blocks between head and tail', () => {
    expect(decideDrop(40_000, null, cap)).toEqual({ from: 8192, to: 28_672 });
  });

  it('grows the dropped range and never moves its start', () => {
    const first = decideDrop(40_000, null, cap);
    expect(decideDrop(40_400, first, cap)).toBeNull();
    expect(decideDrop(80_000, first, cap)).toEqual({ from: 8192, to: 69_632 });
  });

  it('keeps no more than head, tail, slack and a block', () => {
    let dropped: ReturnType<typeof decideDrop> = null;
    for (let size = 0; size < 200_000; size += 777) {
      dropped = decideDrop(size, dropped, cap) ?? dropped;
      const kept = size - (dropped === null ? 0 : dropped.to - dropped.from);
      expect(kept).toBeLessThanOrEqual(8192 + 8192 + 4096 + 4096);
    }
    expect(dropped?.from).toBe(8192);
  });
});

// PF-D09, PF-K11
describe('listPrograms', () => {
  const names = (setupCommand: string | null, testCommands: readonly string[]): readonly string[] =>
    listPrograms({ harness: null, setupCommand, testCommands, hasRoute: false }).map((need) => need.program);

  it('always needs a shell and git', () => {
    expect(names(null, [])).toEqual(['sh', 'git']);
  });

  it('needs the first word of each command, once', () => {
    expect(names('npm ci && npm run build', ['npm test', 'pytest -q', '/usr/bin/make check'])).toEqual([
      ...['sh', 'git', 'npm', 'pytest', '/usr/bin/make'],
    ]);
  });

  it.each(['./gradlew test', 'node_modules/.bin/jest', 'CI=1 npm test', '$RUN', '(cd a; make)', '. ./env', ''])(
    'does not guess a program of %j, which the worktree or the shell decides',
    (command) => {
      expect(names(command, [command])).toEqual(['sh', 'git']);
    },
  );

  it('has a harness start, unless it is a script that would take any argument for its task', () => {
    const need = (scripted: boolean): unknown =>
      listPrograms({
        harness: { id: 'x', command: ['agent', 'run'], scripted },
        setupCommand: null,
        testCommands: [],
        hasRoute: false,
      }).at(-1);
    expect(need(false)).toEqual({ program: 'agent', neededBy: 'harness x', startsWith: ['--version'] });
    expect(need(true)).toEqual({ program: 'agent', neededBy: 'harness x', startsWith: null });
  });
});

describe('programs under a network policy', () => {
  it('needs curl for the shim, and only there (SI 1.8)', () => {
    const programs = (hasRoute: boolean): string[] =>
      listPrograms({ harness: null, setupCommand: null, testCommands: [], hasRoute }).map((need) => need.program);
    expect(programs(true)).toEqual(['sh', 'git', 'curl']);
    expect(programs(false)).toEqual(['sh', 'git']);
  });
});

// PF-G21, PF-G22
describe('judgeMounts', () => {
  const mounts = [
    { source: '/w', target: '/w', readOnly: false },
    { source: '/o', target: '/kraft/alternate/objects', readOnly: true },
    { source: '/s', target: '/with space/é', readOnly: true },
  ];
  const line = (point: string, options: string): string =>
    `36 35 98:0 /x ${point} ${options} master:1 - ext4 /dev/x rw`;
  const right = [
    line('/', 'rw'),
    line('/w', 'rw,relatime'),
    line('/kraft/alternate/objects', 'ro,relatime'),
    line('/with\\040space/é', 'ro'),
  ];
  const answer = (lines: readonly string[], more: readonly string[] = [], head = 'a'.repeat(40)): string[] => [
    `MM head ${head} `,
    ...more,
    'MM mounts',
    ...lines,
    'MM end',
    '',
  ];
  const judge = (lines: readonly string[], exitCode = 0): readonly string[] | null =>
    judgeMounts({ exitCode, stdout: lines.join('\n'), stderr: '', timedOut: false }, mounts, 'MM');

  it('finds nothing wrong when every mount is there in its mode and HEAD is found', () => {
    expect(judge(answer(right))).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    [
      'a mount was dropped',
      answer(right.filter((l) => !l.includes('objects'))),
      '/kraft/alternate/objects is not mounted',
    ],
    [
      'a read-only mount can be written',
      answer([...right.slice(0, 2), line('/kraft/alternate/objects', 'rw'), ...right.slice(3)]),
      'must not',
    ],
    [
      'the last mount at a path is the one that counts',
      answer([...right, line('/kraft/alternate/objects', 'rw')]),
      'must not',
    ],
    ['the worktree is read-only', answer([line('/w', 'ro'), ...right.slice(2)]), '/w is read-only'],
    ['git finds no HEAD', answer(right, [], 'fatal: not a git repository'), 'not a git repository'],
    ['the worktree cannot be written', answer(right, ['MM unwritable .']), '. cannot be written'],
  ])('says so when %s', (_what, lines, words) => {
    expect(judge(lines)?.join('; ')).toContain(words);
  });

  it.each<[string, readonly string[], number]>([
    ['it ends with an error', answer(right), 1],
    ['it is cut off', answer(right).slice(0, -2), 0],
    ['it says nothing', [''], 0],
  ])('takes no half answer: %s', (_what, lines, exitCode) => {
    expect(judge(lines, exitCode)).toBeNull();
  });
});

describe('planCaBundle', () => {
  const pem = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
  const request = {
    reference: 'img:1',
    imageId: 'ab12',
    facts: {
      path: '',
      passwd: '',
      group: '',
      roots: `# roots\n${pem('AAAA')}`,
      namedFiles: { '/opt/own.pem': pem('BBBB') },
    },
    named: [],
    extra: [pem('CCCC'), pem('AAAA')],
  };

  // SI-9.4 D2
  it('puts the roots of the image first and each certificate once', () => {
    expect(planCaBundle(request)).toEqual({ name: 'ab12', content: pem('AAAA') + pem('CCCC'), refusal: null });
  });

  it('joins what a variable of the repository names, in a bundle of its own', () => {
    const plan = planCaBundle({ ...request, named: [{ name: 'PIP_CERT', path: '/opt/own.pem', from: 'repository' }] });
    expect(plan.content).toBe(pem('AAAA') + pem('BBBB') + pem('CCCC'));
    expect(plan.name).toMatch(/^ab12-[0-9a-f]{16}$/u);
  });

  it('refuses a file that the repository names and the image lacks, and passes over one that the image names', () => {
    const missing = { name: 'PIP_CERT', path: '/opt/none.pem' };
    expect(planCaBundle({ ...request, named: [{ ...missing, from: 'repository' }] }).refusal?.code).toBe(
      'KRAFT_CA_FILE_MISSING',
    );
    expect(planCaBundle({ ...request, named: [{ ...missing, from: 'image' }] })).toMatchObject({
      name: 'ab12',
      refusal: null,
    });
  });
});

describe('refuseUnbuilt', () => {
  it('names the part of a sandbox that would not be enforced, and no part that is', () => {
    const network = { install: { allow: [], deny: [] }, runtime: { allow: [], deny: [] } };
    const credentials = [{ env: 'K', service: null, sentinel: null, inject: [], phases: [], source: null }];
    const errors = refuseUnbuilt({ ...plainSandbox, network, credentials });
    expect(errors.map((error) => error.report.details['what'])).toEqual(['`credentials`']);
    expect(errors.every((error) => error.code === 'KRAFT_FEATURE_NOT_BUILT')).toBe(true);
    expect(refuseUnbuilt(plainSandbox)).toEqual([]);
  });
});

// SI-9.1 A24
describe('findLeftovers', () => {
  it('goes by the session label and never by the name', () => {
    const container = (name: string, session: string | null): Parameters<typeof findLeftovers>[0][number] => ({
      name,
      id: name,
      labels: session === null ? {} : { 'kraft.session': session },
    });
    const listed = [
      container('kraft-s1', 's1'),
      container('kraft-s2', 's2'),
      container('kraft-s1x', null),
      container('other', 's1'),
    ];
    expect(findLeftovers(listed, ['s1']).map((found) => found.name)).toEqual(['kraft-s2', 'kraft-s1x']);
  });
});

// CC 6.7
describe('parseResult', () => {
  const parse = (value: unknown): ReturnType<typeof parseResult> => parseResult(Buffer.from(JSON.stringify(value)));

  const nothing = {
    ...{ concerns: null, question: null, summary: null, costUsd: null, model: null },
    ...{ usage: null, findings: [], droppedFindings: 0, verdict: null, suggestedAction: null },
  };

  it('keeps what the protocol names and drops the rest', () => {
    expect(parse({ status: 'done', summary: 's', total_cost_usd: 0.5, evil: { a: 1 }, __proto__: 1 })).toEqual({
      kind: 'result',
      result: { ...nothing, status: 'done', summary: 's', costUsd: 0.5 },
    });
  });

  it('reads spend: tokens, cost and model', () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, commands: 9 };
    expect(parse({ status: 'done', cost_usd: 1, total_cost_usd: 2, model: 'm', usage })).toMatchObject({
      result: {
        costUsd: 1,
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 0 },
      },
    });
    expect(parse({ status: 'done', usage: { commands: 9 } })).toMatchObject({ result: { usage: null } });
  });

  it('reads findings, and drops and counts those that are none', () => {
    const good = { severity: 'minor', message: 'm', source_plugin: 'review' };
    const whole = { ...good, file: 'a.ts', line: 3, same_as: '0123456789abcdef', more: 1 };
    const bad = [
      null,
      'text',
      { ...good, severity: 'grave' },
      { ...good, message: '' },
      { severity: 'minor', message: 'm' },
      { ...good, line: 0 },
      { ...good, same_as: '../../etc/passwd' },
    ];
    const read = { severity: 'minor', message: 'm', source: 'review', file: null, line: null, sameAs: null };
    expect(parse({ status: 'done', findings: [whole, ...bad, good] })).toMatchObject({
      result: {
        findings: [{ ...read, file: 'a.ts', line: 3, sameAs: '0123456789abcdef' }, read],
        droppedFindings: bad.length,
      },
    });
    expect(parse({ status: 'done', findings: good })).toMatchObject({ result: { findings: [], droppedFindings: 1 } });
  });

  it('keeps no more findings, and no more of a message, than it takes', () => {
    const finding = { severity: 'critical', message: 'x'.repeat(5000), source_plugin: 'r' };
    const reading = parse({ status: 'done', findings: Array.from({ length: 230 }, (_, i) => (i < 20 ? 0 : finding)) });
    const result = reading.kind === 'result' ? reading.result : expect.unreachable('it was not taken');
    expect(result.findings).toHaveLength(200);
    expect(result.findings[0]?.message).toHaveLength(4000);
    expect(result.droppedFindings).toBe(30);
  });

  it('reads a verdict and a suggested action, and takes unknown ones for none', () => {
    const action = { action: 'retry', reason: 'flaky' };
    expect(parse({ status: 'done', verdict: 'stop_downgrade', suggested_action: action })).toMatchObject({
      result: { verdict: 'stop_downgrade', suggestedAction: action },
    });
    expect(parse({ status: 'done', verdict: 'merge it', suggested_action: { action: 'push' } })).toMatchObject({
      result: { verdict: null, suggestedAction: null },
    });
  });

  it.each(['', ' \n'])('takes an empty file for none: %j', (text) => {
    expect(parseResult(Buffer.from(text))).toEqual({ kind: 'none' });
  });

  it.each<[string, unknown]>([
    ['no object', ['done']],
    ['no status', {}],
    ['a status of Kraft’s own', { status: 'paused' }],
    ['a status in another case', { status: 'Done' }],
    ['a text that is a number', { status: 'done', concerns: 3 }],
    ['a cost below zero', { status: 'done', cost_usd: -1 }],
    ['a cost as text', { status: 'done', cost_usd: '1' }],
    ['tokens below zero', { status: 'done', usage: { input_tokens: -1 } }],
    ['half a token', { status: 'done', usage: { output_tokens: 0.5 } }],
    ['more tokens than can be counted', { status: 'done', usage: { input_tokens: 1e300 } }],
  ])('refuses %s', (_what, value) => {
    expect(parse(value).kind).toBe('invalid');
  });

  it('refuses what is no JSON or no UTF-8', () => {
    expect(parseResult(Buffer.from('{"status": "done"')).kind).toBe('invalid');
    expect(parseResult(Buffer.from([0x22, 0xff, 0x22])).kind).toBe('invalid');
    expect(resultSizeMaxBytes).toBe(1024 * 1024);
  });
});
