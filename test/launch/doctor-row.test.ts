import { describe, expect, it } from 'vitest';
import { chainErrors } from '../../src/chain/index.ts';
import { credentialErrors } from '../../src/credentials/index.ts';
import { egressErrors } from '../../src/egress/index.ts';
import { harnessErrors } from '../../src/harness/index.ts';
import { doctorRowOf, launchErrors } from '../../src/launch/index.ts';
import { limitErrors } from '../../src/limits/index.ts';
import { processErrors } from '../../src/process/index.ts';
import { relayErrors } from '../../src/relay/index.ts';
import { runtimeErrors } from '../../src/runtime/index.ts';

const catalogues = {
  launchErrors,
  runtimeErrors,
  limitErrors,
  credentialErrors,
  processErrors,
  harnessErrors,
  chainErrors,
  relayErrors,
  egressErrors,
};

/** Errors that no look tells more of: what the kernel did to one process, what one command is like, and a build. */
const nothingToSee = [
  'COMMAND_TOO_LONG',
  'COMMAND_UNSPLITTABLE',
  // Of a row that somebody edited by hand.
  'EGRESS_LISTS_UNREADABLE',
  'IMAGE_BUILD_FAILED',
  'MEMORY_LIMIT_REACHED',
  // Of a daemon that goes.
  'RELAYS_CLOSED',
  // Of a process that is no daemon.
  'ROUTE_NOT_SERVED',
];

describe('the row of doctor for an error of a launch (PF-D02)', () => {
  it('is there for every error that can keep a launch from starting, but for those that no look tells more of', () => {
    const codes = Object.values(catalogues).flatMap(({ specs }) => Object.keys(specs));
    expect(codes.filter((code) => doctorRowOf(`KRAFT_${code}`) === null).sort()).toEqual(nothingToSee);
  });

  it.each([
    ['KRAFT_ENGINE_UNREACHABLE', 'engine'],
    ['KRAFT_CONFIG_BAD_VALUE', 'config'],
    ['KRAFT_LIMIT_UNENFORCEABLE', 'sandbox'],
    ['KRAFT_CONTAINER_NOT_CREATED', 'sandbox'],
    ['KRAFT_REPOSITORY_EMPTY', 'repo'],
    ['KRAFT_SETUP_UNDECIDED', 'setup'],
    ['KRAFT_TESTS_UNDECLARED', 'tests'],
    ['KRAFT_DISK_FLOOR', 'disk'],
    ['KRAFT_STATE_PATH_REFUSED', 'home'],
    ['KRAFT_HOST_MEMORY_SHORT', 'config'],
  ])('of %s is %s', (code, row) => {
    expect(doctorRowOf(code)).toBe(row);
  });

  it.each(['KRAFT_SETUP_FAILED', 'KRAFT_BRANCH_NOT_PUBLISHED', 'KRAFT_BUG', 'constructor'])(
    'is none for %s, which no row repeats',
    (code) => {
      expect(doctorRowOf(code)).toBeNull();
    },
  );
});
