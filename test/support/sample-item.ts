import { atStart, type Item } from '../../src/items/index.ts';
import type { SessionRow } from '../../src/store/index.ts';

/** A filed item with every field set; override what a test is about. */
export function sampleItem(overrides: Partial<Item> = {}): Item {
  return {
    id: 'abcd2345',
    title: 'Mend the basket',
    description: 'The total is wrong.',
    repo: '/srv/repo',
    chain: 'quick-task',
    harness: 'demo',
    branch: 'kraft/abcd2345-mend-the-basket',
    baseBranch: null,
    baseCommit: null,
    base: null,
    worktree: null,
    adminDir: null,
    prepared: false,
    status: 'paused',
    started: false,
    pauseRequested: false,
    stop: null,
    nextNode: null,
    ...atStart,
    attempt: 1,
    frozen: '{}',
    frozenChain: '{}',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    ...overrides,
  };
}

/** A pending session of `sampleItem`. */
export function sampleSession(overrides: Partial<SessionRow> = {}): SessionRow {
  return {
    id: 's1',
    itemId: 'abcd2345',
    nodeId: 'implementation',
    task: 'implementation.main.agent',
    attempt: 1,
    harness: 'demo',
    status: 'pending',
    backend: 'docker',
    engine: 'docker',
    container: 'kraft-s1',
    containerId: null,
    command: 'kraft-demo-agent',
    pid: null,
    bootId: null,
    startTicks: null,
    exitCode: null,
    logPath: '/run/logs/s1.log',
    resultDir: '/run/results/s1',
    exitPath: '/run/results/s1.exit',
    memoryBytes: null,
    timeCapMs: null,
    createdAt: '2026-01-02T03:04:05.678Z',
    startedAt: null,
    endedAt: null,
    wallMs: null,
    reason: null,
    agentSession: null,
    model: null,
    inputTokens: null,
    cachedTokens: null,
    outputTokens: null,
    costUsd: null,
    findings: [],
    ...overrides,
  };
}
