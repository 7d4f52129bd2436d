import type { DockerSandbox, LaunchRequest, PlanFacts } from '../../src/launch/index.ts';
import { sampleRepo } from '../support/sample-repo.ts';

/** A repository entry with nothing set. */
export const plainRepo = sampleRepo({ path: '/home/p/shop' });

export const plainSandbox: DockerSandbox = {
  kind: 'docker',
  image: 'localhost/kraft-worker:1',
  resources: { cpu: null, memoryBytes: null, pids: null },
  network: null,
  credentials: [],
};

const common = '/home/p/shop/.git';
const adminDir = `${common}/worktrees/abc`;
const shadows = '/home/p/.kraft/run/sandbox-git/abc-0011.ro';

/** A request on a linked worktree with a ref store of three mounts. */
export function sampleRequest(changes: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    itemId: 'abc',
    sessionId: 's1',
    role: 'agent',
    phase: 'runtime',
    repo: plainRepo,
    sandbox: plainSandbox,
    worktree: {
      path: '/home/p/.kraft/run/worktrees/abc',
      adminDir,
      branch: 'kraft/abc-x',
      baseCommit: '1'.repeat(40),
      base: 'main',
    },
    store: {
      dir: '/home/p/.kraft/run/sandbox-git/abc-0011',
      sidecar: '/home/p/.kraft/run/sandbox-git/abc-0011.json',
      commonDir: common,
      adminDir,
      mounts: [
        { source: '/home/p/.kraft/run/sandbox-git/abc-0011', target: common, readOnly: false },
        { source: `${shadows}/config`, target: `${common}/config`, readOnly: true },
        { source: `${common}/objects`, target: '/kraft/alternate/objects', readOnly: true },
      ],
    },
    identity: { name: 'Pat', email: 'pat@example.org' },
    command: ['kraft-demo-agent', '-p', 'do it'],
    env: {},
    envNames: [],
    configDir: null,
    harnessHosts: [],
    timeCapMs: null,
    ...changes,
  };
}

/** What an ordinary rootful Docker says. */
export function sampleFacts(changes: Partial<PlanFacts> = {}): PlanFacts {
  return {
    kind: 'docker',
    home: '/home/p/.kraft',
    run: '/home/p/.kraft/run',
    worktree: '/home/p/.kraft/run/worktrees/abc',
    user: { user: '1000:1000', userNamespace: null, uid: 1000, gid: 1000 },
    limits: { cpu: null, memoryBytes: null, closeSwap: false, pids: 4096 },
    selinux: null,
    passwd: '/home/p/.kraft/run/sandbox-image/ff-1000-1000.passwd',
    group: '/home/p/.kraft/run/sandbox-image/ff-1000-1000.group',
    caBundle: null,
    imagePath: '/usr/local/bin:/usr/bin:/bin',
    shimDir: '/home/p/.kraft/run/shim-0123',
    forwardedNames: ['CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_API_KEY'],
    ...changes,
  };
}
