import { describe, expect, it } from 'vitest';
import { listFileUrls, listPackageTools, listRegistryHosts, packageTools } from '../../src/detect/index.ts';

const names = (command: string, markers: readonly string[] = []): readonly string[] =>
  listPackageTools(command, markers).map(({ name }) => name);

describe('the tools that a setup command names', () => {
  it.each([
    ['npm ci', ['npm']],
    ['npm ci && pip3 install -r requirements.txt', ['npm', 'pip']],
    ['(cd web && pnpm install --frozen-lockfile) && uv sync', ['pnpm', 'uv']],
    ['python -m pip install .', ['pip']],
    ['/usr/bin/cargo fetch', ['cargo']],
    ['go mod download', ['go']],
    ['bundle install', ['bundler']],
    ['bun install', ['npm']],
    ['echo npminstall', []],
    ['', []],
  ])('%j names %j', (command, tools) => {
    expect(names(command)).toEqual(tools);
  });

  it('are those of the lockfiles when a task of the repository names none', () => {
    expect(names('just setup', ['justfile', 'package-lock.json', 'api/uv.lock'])).toEqual(['npm', 'uv']);
    expect(names('npm ci', ['package-lock.json', 'uv.lock'])).toEqual(['npm']);
    expect(names('', ['package-lock.json'])).toEqual([]);
  });
});

describe('what a tool answers', () => {
  it.each([
    ['npm', 'https://registry.example.com/npm/\n', ['https://registry.example.com/npm/']],
    ['yarn', 'undefined\n', []],
    [
      'go',
      'https://proxy.golang.org,https://goproxy.example.com|direct\n',
      ['https://proxy.golang.org', 'https://goproxy.example.com'],
    ],
    ['go', 'off\n', []],
    [
      'pip',
      "global.index-url='https://pypi.example.com/simple'\n:env:.extra-index-url='https://x.example.com/s https://y.example.com/s'\nglobal.proxy='http://p.example.com'\n",
      ['https://pypi.example.com/simple', 'https://x.example.com/s', 'https://y.example.com/s'],
    ],
    ['pip', '', []],
  ])('%s: %j', (name, answer, urls) => {
    expect(packageTools.find((tool) => tool.name === name)?.read(answer)).toEqual(urls);
  });
});

describe('the URLs that a lockfile names', () => {
  it.each([
    [
      'npm',
      'web/package-lock.json',
      '{"a":{"resolved": "https://npm.example.org/a/-/a-1.tgz","integrity":"x"}}',
      ['https://npm.example.org/a/-/a-1.tgz'],
    ],
    [
      'yarn',
      'yarn.lock',
      'a@^1:\n  version "1"\n  resolved "https://registry.yarnpkg.com/a/-/a-1.tgz#h"\n',
      ['https://registry.yarnpkg.com/a/-/a-1.tgz#h'],
    ],
    ['yarn', '.yarnrc.yml', 'npmRegistryServer: "https://npm.example.com"\n', ['https://npm.example.com']],
    [
      'pnpm',
      'pnpm-lock.yaml',
      '  resolution: {integrity: x, tarball: https://npm.example.com/a.tgz}\n',
      ['https://npm.example.com/a.tgz'],
    ],
    [
      'uv',
      'uv.lock',
      'source = { registry = "https://pypi.org/simple" }\nsdist = { url = "https://files.pythonhosted.org/a" }',
      ['https://pypi.org/simple', 'https://files.pythonhosted.org/a'],
    ],
    [
      'cargo',
      'Cargo.lock',
      'source = "registry+https://github.com/rust-lang/crates.io-index"\n',
      ['registry+https://github.com/rust-lang/crates.io-index'],
    ],
    ['bundler', 'Gemfile.lock', 'GEM\n  remote: https://rubygems.org/\n', ['https://rubygems.org/']],
    [
      'composer',
      'composer.lock',
      '{"source":{"url":"git@x"},"dist":{"type":"zip","url":"https://api.github.com/z"}}',
      ['https://api.github.com/z'],
    ],
    [
      'pip',
      'requirements.txt',
      '--index-url https://pypi.example.com/simple\na==1\n',
      ['https://pypi.example.com/simple'],
    ],
    ['npm', 'package.json', '{"resolved": "https://x.example.com"}', []],
  ])('%s in %s', (name, path, text, urls) => {
    const tool = packageTools.find((each) => each.name === name);
    expect(tool && listFileUrls(tool, path, text)).toEqual(urls);
  });
});

describe('the hosts of URLs', () => {
  it('stand once each, without user, path and the scheme’s own port, with those that go with them', () => {
    const urls = [
      'https://ada:hunter2@Registry.example.com:443/npm',
      'https://registry.example.com/other',
      'http://mirror.example.com:8081/simple',
      'https://pypi.org/simple',
    ];
    expect(listRegistryHosts(urls, 'asked')).toEqual([
      { host: 'registry.example.com', why: 'asked' },
      { host: 'mirror.example.com:8081', why: 'asked' },
      { host: 'pypi.org', why: 'asked' },
      { host: 'files.pythonhosted.org', why: 'goes with pypi.org' },
    ]);
  });

  it('knows where crates come from', () => {
    const hosts = listRegistryHosts(['registry+https://github.com/rust-lang/crates.io-index'], 'Cargo.lock');
    expect(hosts.map(({ host }) => host)).toEqual(['index.crates.io', 'static.crates.io']);
    expect(listRegistryHosts(['git+https://github.com/a/b?rev=1#c'], 'Cargo.lock')).toMatchObject([
      { host: 'github.com' },
    ]);
  });

  it.each([
    'git+ssh://git@github.com/a/b.git',
    'git@github.com:a/b.git',
    'file:../a',
    'https://[::1]/a',
    'https://*.example.com/',
    'https://a_b.example.com/',
    'not a url',
    '',
  ])('leaves out %j, which no list can name or no proxy can carry', (url) => {
    expect(listRegistryHosts([url], 'x')).toEqual([]);
  });
});
