import { describe, expect, it } from 'vitest';
import { parseHostPattern } from '../../src/config/index.ts';

describe('a host pattern (CC 3.4, SI 4.1)', () => {
  it.each([
    ['api.x.com', { text: 'api.x.com', host: { kind: 'exact', name: 'api.x.com' }, port: null }],
    ['  API.X.com:443 ', { text: 'api.x.com:443', host: { kind: 'exact', name: 'api.x.com' }, port: 443 }],
    ['*.x.com', { text: '*.x.com', host: { kind: 'one-label', suffix: 'x.com' }, port: null }],
    ['*', { text: '*', host: { kind: 'any' }, port: null }],
    ['**:8080', { text: '**:8080', host: { kind: 'any' }, port: 8080 }],
    ['10.0.0.1', { text: '10.0.0.1', host: { kind: 'exact', name: '10.0.0.1' }, port: null }],
    ['localhost', { text: 'localhost', host: { kind: 'exact', name: 'localhost' }, port: null }],
    [
      'xn--bcher-kva.example',
      { text: 'xn--bcher-kva.example', host: { kind: 'exact', name: 'xn--bcher-kva.example' }, port: null },
    ],
  ])('%s is taken in its canonical form', (written, pattern) => {
    expect(parseHostPattern(written)).toEqual({ kind: 'pattern', pattern });
  });

  it.each([
    ['10.0.0.0/8', /10\.0\.0\.0\/8.*address range/, /Name each host/], // PF-E09
    ['fd00::/8', /address range/, /./],
    ['https://api.x.com/v1', /is a URL/, /`api\.x\.com`/],
    ['api.x.com/path', /has a path/, /`api\.x\.com`/],
    ['api.x.com.', /ends with a dot/, /`api\.x\.com`/], // PF-E01
    ['api.x.com.:443', /ends with a dot/, /`api\.x\.com:443`/],
    ['::1', /IPv6/, /./],
    ['[::1]:443', /IPv6/, /./],
    ['my_host', /underscore/, /./],
    ['a.*.com', /wildcard where none/, /./],
    ['**.x.com', /wildcard where none/, /./],
    ['*x.com', /wildcard where none/, /./],
    ['*.', /./, /./],
    ['-a.com', /not a valid host name/, /./],
    ['a..com', /not a valid host name|not a host/, /./],
    ['a.com:0', /port/, /./],
    ['a.com:65536', /port/, /./],
    ['a.com:123456', /./, /./],
    ['127.1', /not a plain IPv4/, /./],
    ['0x7f.0.0.1', /not a valid|not a plain|./, /./],
    ['2130706433', /not a plain IPv4/, /./],
    ['300.1.1.1', /not a plain IPv4/, /./],
    ['010.0.0.1', /not a plain IPv4/, /./],
    ['*.0.0.1', /wildcard into an address/, /./],
    ['bücher.example', /not ASCII/, /`xn--bcher-kva\.example`/],
    ['', /empty/, /./],
    ['a b', /not a host pattern/, /./],
  ])('%s is refused with what to write', (written, problem, remedy) => {
    const parsed = parseHostPattern(written);
    expect(parsed).toMatchObject({ kind: 'refused' });
    if (parsed.kind !== 'refused') return;
    expect(parsed.problem).toMatch(problem);
    expect(parsed.remedy).toMatch(remedy);
  });

  it('does not repeat a password of a URL', () => {
    expect(JSON.stringify(parseHostPattern('https://ada:hunter2@x.com'))).not.toContain('hunter2');
  });
});
