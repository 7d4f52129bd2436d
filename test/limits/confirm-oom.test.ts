import { describe, expect, it } from 'vitest';
import { confirmOom, type OomEvidence } from '../../src/limits/index.ts';
import type { ContainerState } from '../../src/runtime/index.ts';

const memoryBytes = 32 * 1024 ** 2;
const killed: ContainerState = {
  id: 'c',
  running: false,
  pid: null,
  exitCode: 137,
  oomKilled: false,
  memoryLimitBytes: memoryBytes,
};
const base: OomEvidence = {
  kind: 'docker',
  state: killed,
  oomFile: false,
  counted: null,
  graceOver: false,
  stoppedByKraft: false,
};
const seen = { kills: 0, limitMet: false, peakBytes: 1000, hostKills: 0, hostLowestShare: 0.5 };
const atLimit = { ...seen, kills: 1, limitMet: true };
const farFromLimit = { ...seen, kills: 1, limitMet: false };
const short = { ...seen, hostKills: 1, hostLowestShare: 0.01 };
const flagged = { ...killed, oomKilled: true };

describe('what ended a container under a memory limit (SI 6.4)', () => {
  it.each<[string, Partial<OomEvidence>, ReturnType<typeof confirmOom>]>([
    ['the engine’s flag confirms', { state: flagged }, { kind: 'killed', memoryBytes, confirmed: true }],
    [
      'the flag counts whatever the exit code',
      { state: { ...flagged, exitCode: 1 } },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      'the flag counts though Kraft stopped it afterwards',
      { state: flagged, stoppedByKraft: true },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      'conmon’s file confirms on Podman (SI-9.3 C10)',
      { kind: 'podman', oomFile: true },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      'the file is nothing on Docker (SI-9.3 C10)',
      { oomFile: true, state: { ...killed, exitCode: 1 } },
      { kind: 'no kill' },
    ],
    ['137 without a flag is asked again', {}, { kind: 'ask again' }],
    [
      '137 without a flag counts unconfirmed in the end (PF-L01, L02)',
      { graceOver: true },
      { kind: 'killed', memoryBytes, confirmed: false },
    ],
    [
      'a kill that the cgroup counted confirms without a flag, whatever the exit code (PF-L01)',
      { counted: atLimit, state: { ...killed, exitCode: 0 } },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      '137 with none counted is unconfirmed',
      { counted: seen, graceOver: true },
      { kind: 'killed', memoryBytes, confirmed: false },
    ],
    [
      '137 on a machine that ran out of memory is the machine’s',
      { counted: short, graceOver: true },
      { kind: 'host short' },
    ],
    [
      'a kill that the cgroup counted confirms where nothing tells whether the limit was met',
      { counted: { ...atLimit, limitMet: null } },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      'a kill that the cgroup counted while the limit was far is the machine’s, at once and whatever the exit code',
      { counted: farFromLimit, state: { ...killed, exitCode: 1 } },
      { kind: 'host short' },
    ],
    [
      'such a kill is the machine’s though the engine flags it, as engines do on cgroup v2',
      { counted: farFromLimit, state: flagged },
      { kind: 'host short' },
    ],
    [
      'such a kill in a container that Kraft stopped is nobody’s',
      { counted: farFromLimit, stoppedByKraft: true },
      { kind: 'no kill' },
    ],
    [
      'without a limit a counted kill is the machine’s',
      { counted: { ...atLimit, limitMet: null }, state: { ...flagged, memoryLimitBytes: 0 } },
      { kind: 'host short' },
    ],
    [
      'without a limit 137 on a machine that ran out of memory is the machine’s, and nobody is asked again',
      { counted: short, state: { ...killed, memoryLimitBytes: 0 } },
      { kind: 'host short' },
    ],
    [
      'without a limit 137 by itself is none, and nobody is asked again (PF-L01)',
      { counted: seen, state: { ...killed, memoryLimitBytes: 0 } },
      { kind: 'no kill' },
    ],
    [
      'the engine’s flag outweighs a short machine',
      { counted: short, state: flagged },
      { kind: 'killed', memoryBytes, confirmed: true },
    ],
    [
      '137 by Kraft on a short machine is none',
      { counted: short, graceOver: true, stoppedByKraft: true },
      { kind: 'no kill' },
    ],
    ['137 by Kraft’s own kill is none', { graceOver: true, stoppedByKraft: true }, { kind: 'no kill' }],
    ['another exit code is none at once (SI-9.3 C9)', { state: { ...killed, exitCode: 1 } }, { kind: 'no kill' }],
    ['a good end is none', { state: { ...killed, exitCode: 0 } }, { kind: 'no kill' }],
    [
      'a container without a limit is none (SI-9.3 C9)',
      { state: { ...flagged, memoryLimitBytes: 0 } },
      { kind: 'no kill' },
    ],
    [
      'a container that is gone is none (SI-9.3 C9)',
      { state: null, oomFile: true, kind: 'podman' },
      { kind: 'no kill' },
    ],
    ['a container that runs is none', { state: { ...killed, running: true, exitCode: null } }, { kind: 'no kill' }],
  ])('%s', (_, over, verdict) => {
    expect(confirmOom({ ...base, ...over })).toEqual(verdict);
  });
});
