// The import table is the architecture; src/README.md prints it and test/architecture holds the two to each other.
const all = (...names) => names;
const may = {
  base: [],
  events: all('base'),
  process: all('base'),
  refs: all('base'),
  config: all('base'),
  runtime: all('base', 'events', 'process'),
  limits: all('base', 'events', 'runtime'),
  git: all('base', 'refs', 'process'),
  credentials: all('base', 'config', 'process'),
  harness: all('base', 'config'),
  detect: all('base', 'config'),
  'daemon-client': all('base', 'events'),
  chain: all('base', 'config'),
  items: all('base', 'events', 'refs'),
  store: all('base', 'events', 'items'),
  images: all('base', 'process', 'runtime'),
  egress: all('base', 'events', 'config', 'credentials'),
  relay: all('base', 'events', 'runtime'),
  'worker-api': all('base', 'events', 'items', 'egress'),
  launch: all(
    'base',
    'events',
    'config',
    'limits',
    'credentials',
    'harness',
    'runtime',
    'git',
    'refs',
    'process',
    'egress',
    'relay',
  ),
  walk: all(
    'base',
    'events',
    'config',
    'chain',
    'items',
    'store',
    'git',
    'harness',
    'launch',
    'limits',
    'runtime',
    'process',
    'egress',
  ),
  doctor: all(
    'base',
    'config',
    'credentials',
    'limits',
    'process',
    'runtime',
    'git',
    'store',
    'launch',
    'harness',
    'chain',
    'detect',
    'images',
    'egress',
    'relay',
  ),
};
const below = Object.keys(may);
Object.assign(may, {
  compose: [...below],
  daemon: all('base', 'events', 'compose', 'daemon-client'),
  cli: all('base', 'events', 'daemon-client'),
});
// The command line reaches these by import() inside a command, so that `kraft --version` loads none of them; a type costs nothing.
const lazily = { cli: ['compose', 'daemon'] };
const owner = {
  dockerode: '^src/runtime/docker/',
  execa: '^src/process/',
  yaml: '^src/base/',
  leven: '^src/base/',
  vitest: '^$',
  testcontainers: '^$',
};
const coreOwner = { child_process: '^src/process/', sqlite: '^src/store/' };

export const table = { may, lazily };

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'dynamic-import'] } },
    },
    {
      name: 'known-folder',
      severity: 'error',
      comment: 'every folder of src needs a row in the table',
      from: {},
      to: { path: '^src/', pathNot: [`^src/(${Object.keys(may).join('|')})/`, '^src/index\\.ts$'] },
    },
    ...Object.entries(may).map(([from, to]) => ({
      name: `layer-${from}`,
      severity: 'error',
      from: { path: `^src/${from}/` },
      to: {
        path: '^src/',
        pathNot: `^src/(${[from, ...to].join('|')})/`,
        dependencyTypesNot: lazily[from] ? ['dynamic-import', 'type-only'] : [],
      },
    })),
    ...Object.entries(lazily).map(([from, to]) => ({
      name: `lazy-${from}`,
      severity: 'error',
      from: { path: `^src/${from}/` },
      to: { path: '^src/', pathNot: `^src/(${[from, ...may[from], ...to].join('|')})/` },
    })),
    {
      name: 'surface',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(base|events|config|compose)/' },
    },
    {
      name: 'through-the-front-door',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: { path: '^src/[^/]+/.+', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'] },
    },
    ...Object.entries(owner).map(([name, where]) => ({
      name: `owner-${name}`,
      severity: 'error',
      from: { path: '^src/', pathNot: where },
      to: { path: `^node_modules/(@types/)?${name}/` },
    })),
    ...Object.entries(coreOwner).map(([name, where]) => ({
      name: `owner-node-${name}`,
      severity: 'error',
      from: { path: '^src/', pathNot: where },
      to: { dependencyTypes: ['core'], path: `^(node:)?${name}$` },
    })),
    {
      name: 'no-dev-dep',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: ['^node_modules/@types/'] },
    },
    {
      name: 'pure-files-do-no-io',
      severity: 'error',
      from: {
        path: '^src/(events|refs|items|limits|detect)/|/(schema|plan|policy|lower|spell|decide|confirm-[^/]+|build-[^/]+|render[^/]*)\\.ts$',
      },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|fs/promises|net|tls|https?|child_process|sqlite|dgram|dns)$',
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
