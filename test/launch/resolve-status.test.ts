import { describe, expect, it } from 'vitest';
import { launchErrors } from '../../src/launch/index.ts';
import { type LaunchEvidence, resolveStatus } from '../../src/launch/resolve-status.ts';
import type { WorkerResult } from '../../src/launch/index.ts';

const plain: LaunchEvidence = {
  role: 'subprocess',
  cause: null,
  reading: { kind: 'none' },
  exitCode: 0,
  notCreated: null,
  engineLost: null,
  oom: null,
  hostShort: false,
  failure: null,
};
const said = (status: WorkerResult['status'], concerns: string | null = null): LaunchEvidence['reading'] => ({
  kind: 'result',
  result: {
    ...{ status, concerns, question: null, summary: null, costUsd: null, model: null },
    ...{ usage: null, findings: [], droppedFindings: 0, verdict: null, suggestedAction: null },
  },
});
const oom = { memoryBytes: 33_554_432, confirmed: true, peakBytes: null };
const invalid: LaunchEvidence['reading'] = { kind: 'invalid', why: 'the result is not JSON' };

// SI 1.14, CC 6.7: the order is the rule.
describe('resolveStatus', () => {
  it.each<[string, Partial<LaunchEvidence>, string]>([
    ['a subprocess that exits 0', {}, 'done'],
    ['a subprocess that exits otherwise', { exitCode: 3 }, 'failed'],
    ['a subprocess without an exit code', { exitCode: null }, 'failed'],
    ['a setup command that exits 0', { role: 'setup' }, 'done'],
    ['an agent without a result, whatever its code', { role: 'agent' }, 'failed'],
    [
      'a reported status over the exit code',
      { role: 'agent', reading: said('done_with_concerns'), exitCode: 1 },
      'done_with_concerns',
    ],
    ['a reported question', { role: 'agent', reading: said('needs_context') }, 'needs_context'],
    ['a reported failure over exit 0', { reading: said('failed') }, 'failed'],
    ['a result that is none, over exit 0', { reading: invalid }, 'failed'],
    ['a container that was never created', { exitCode: 125, notCreated: 'no such image' }, 'config_error'],
    ['a memory kill', { exitCode: 137, oom }, 'config_error'],
    [
      'an unconfirmed memory kill of an agent',
      { role: 'agent', exitCode: 137, oom: { ...oom, confirmed: false } },
      'config_error',
    ],
    ['a memory kill that a session got past', { role: 'agent', reading: said('done'), oom }, 'done'],
    ['a pause, even beside a result', { cause: 'pause', role: 'agent', reading: said('done') }, 'paused'],
    ['a pause over a memory kill', { cause: 'pause', oom }, 'paused'],
    ['a time cap', { cause: 'cap', exitCode: 143 }, 'capped_out'],
    ['a cancel', { cause: 'cancel', exitCode: 143 }, 'failed'],
  ])('resolves %s', (_what, changes, status) => {
    expect(resolveStatus({ ...plain, ...changes }).status).toBe(status);
  });

  it('blames a machine that ran out of memory, and neither the limit nor the task', () => {
    const ended = resolveStatus({ ...plain, exitCode: 137, hostShort: true });
    expect(ended).toMatchObject({ status: 'unknown', error: { code: 'KRAFT_HOST_MEMORY_SHORT', kind: 'environment' } });
    expect(ended.reason).toContain('137');
    const cutOff = { ...plain, role: 'agent', reading: invalid, hostShort: true } as const;
    expect(resolveStatus(cutOff).status).toBe('unknown');
    expect(resolveStatus({ ...plain, role: 'agent', reading: said('done'), hostShort: true }).status).toBe('done');
    expect(resolveStatus({ ...plain, exitCode: 0, hostShort: true }).status).toBe('done');
  });

  it('calls the end unknown where the engine was lost, unless the worker said or the engine knew', () => {
    const lost = { ...plain, exitCode: 125, engineLost: 'it was restarted' };
    const resolved = resolveStatus({ ...lost, role: 'agent', reading: invalid });
    expect(resolved).toMatchObject({ status: 'unknown', error: { code: 'KRAFT_ENGINE_LOST', kind: 'environment' } });
    expect(resolved.reason).toContain('it was restarted');
    expect(resolveStatus({ ...lost, reading: said('done') }).status).toBe('done');
    expect(resolveStatus({ ...lost, oom }).status).toBe('config_error');
    expect(resolveStatus({ ...lost, cause: 'pause' }).status).toBe('paused');
  });

  it('names the limit, and says when the engine did not confirm it', () => {
    const confirmed = resolveStatus({ ...plain, exitCode: 137, oom });
    expect(confirmed.error?.code).toBe('KRAFT_MEMORY_LIMIT_REACHED');
    expect(confirmed.reason).toContain('32m');
    expect(confirmed.error?.remedy).toContain('64m');
    const peak = { ...oom, peakBytes: 33_550_336 };
    expect(resolveStatus({ ...plain, exitCode: 137, oom: peak }).reason).toContain('32764k');
    const unconfirmed = resolveStatus({ ...plain, exitCode: 137, oom: { ...oom, confirmed: false } });
    expect(unconfirmed.reason).toContain('did not confirm');
  });

  it('gives the words of the engine when it made no container', () => {
    const { error, reason } = resolveStatus({ ...plain, notCreated: 'invalid mount config' });
    expect(error?.code).toBe('KRAFT_CONTAINER_NOT_CREATED');
    expect(reason).toContain('invalid mount config');
  });

  // PF-U09
  it('names /etc/subuid when the image has users outside the range', () => {
    const words = 'potentially insufficient UIDs or GIDs available in user namespace (requested 0:42 for /etc/gshadow)';
    const { error } = resolveStatus({ ...plain, exitCode: 125, notCreated: words });
    expect(error?.code).toBe('KRAFT_SUBORDINATE_IDS_TOO_FEW');
    expect(error?.remedy).toContain('/etc/subuid');
  });

  it('stops as a configuration error when the log could not be capped', () => {
    const failure = launchErrors.create('LOG_CAP_FAILED', { path: '/l', why: 'not supported' });
    expect(resolveStatus({ ...plain, cause: 'log', exitCode: 143, failure })).toMatchObject({
      status: 'config_error',
      error: { code: 'KRAFT_LOG_CAP_FAILED' },
    });
  });

  it('says why a session failed', () => {
    expect(resolveStatus({ ...plain, exitCode: 3 }).reason).toBe('it ended with exit code 3');
    expect(resolveStatus({ ...plain, role: 'agent' }).reason).toBe(
      'the agent ended with exit code 0 and wrote no result',
    );
    expect(resolveStatus({ ...plain, reading: said('failed', 'no database') }).reason).toBe('no database');
  });
});
