import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** Something that reached the origin. */
export interface Arrival {
  readonly kind: 'http' | 'https' | 'tcp' | 'udp' | 'listening';
  readonly port?: number;
  readonly method?: string;
  readonly url?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Names under this domain are the origin's. */
const domain = 'kraft-origin.test';

/**
 * A server that is neither this host nor on the internet: in a network namespace of its own, behind a pair of virtual
 * interfaces. Needs root. Its certificate is of a CA made for it.
 */
export class Origin implements AsyncDisposable {
  /** Of the server; not globally routable, so a policy has to name it exactly. */
  readonly address: string;
  /** Of this machine, on the same wire: never reached. */
  readonly hostAddress: string;
  readonly domain = domain;
  readonly name = `www.${domain}`;
  /** The same server by another name. */
  readonly otherName = `other.${domain}`;
  readonly caPath: string;
  readonly gitRoot: string;
  readonly arrivals: Arrival[] = [];
  readonly #namespace: string;
  readonly #dir: string;
  readonly #preload: string;
  #server: ChildProcess | null = null;
  #lines: Interface | null = null;

  private constructor(number: number) {
    this.#namespace = `kraft-o${process.pid}-${number}`;
    const net = `10.231.${process.pid % 250}`;
    this.hostAddress = `${net}.${number * 4 + 1}`;
    this.address = `${net}.${number * 4 + 2}`;
    this.#dir = mkdtempSync(join(tmpdir(), 'ko-'));
    chmodSync(this.#dir, 0o755);
    this.caPath = join(this.#dir, 'ca.pem');
    // The daemon may be another account's, which cannot read where the tests lie.
    this.#preload = join(this.#dir, 'resolve-preload.mjs');
    cpSync(resolve(import.meta.dirname, 'resolve-preload.mjs'), this.#preload);
    this.gitRoot = join(this.#dir, 'git');
    mkdirSync(this.gitRoot);
  }

  /** `number` from 0 to 62: another one for each origin of a test file. */
  static async open(number: number): Promise<Origin> {
    const origin = new Origin(number);
    try {
      origin.#wire(`ko${process.pid % 100_000}-${number}`);
      origin.#makeCertificate();
      await origin.#serve();
      return origin;
    } catch (error) {
      await origin[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What a daemon needs to find the origin by its names: these and `more`, each with the addresses it has. */
  env(more: Readonly<Record<string, readonly string[]>> = {}): Readonly<Record<string, string>> {
    const hosts = { [this.name]: [this.address], [this.otherName]: [this.address], ...more };
    return {
      NODE_OPTIONS: `--import=${this.#preload}`,
      KRAFT_TEST_HOSTS: JSON.stringify(hosts),
    };
  }

  /**
   * A bare repository that is served at `https://<name>/git/<repository>` and takes pushes. Its one commit holds a file of so
   * many bytes that do not compress.
   */
  makeRepository(repository: string, bytes: number): void {
    const path = join(this.gitRoot, repository);
    const work = join(this.#dir, `${repository}.work`);
    execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', path]);
    execFileSync('git', ['-C', path, 'config', 'http.receivepack', 'true']);
    execFileSync('git', ['init', '--quiet', '-b', 'main', work]);
    writeFileSync(join(work, 'big.bin'), randomBytes(bytes));
    execFileSync('git', ['-C', work, 'add', '.']);
    const by = ['-c', 'user.name=O', '-c', 'user.email=o@example.org'];
    execFileSync('git', ['-C', work, ...by, 'commit', '--quiet', '-m', 'Something big']);
    execFileSync('git', ['-C', work, 'push', '--quiet', path, 'main']);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server !== null && this.#server.exitCode === null) {
      this.#server.kill('SIGKILL');
      await once(this.#server, 'close');
    }
    this.#lines?.close();
    try {
      execFileSync('ip', ['netns', 'del', this.#namespace], { stdio: 'ignore' });
    } catch {
      // It was not made.
    }
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #wire(link: string): void {
    const ip = (...args: readonly string[]): unknown => execFileSync('ip', args);
    ip('netns', 'add', this.#namespace);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#namespace);
    ip('addr', 'add', `${this.hostAddress}/30`, 'dev', link);
    ip('link', 'set', link, 'up');
    const inside = ['netns', 'exec', this.#namespace, 'ip'];
    ip(...inside, 'addr', 'add', `${this.address}/30`, 'dev', 'eth0');
    ip(...inside, 'link', 'set', 'eth0', 'up');
    ip(...inside, 'link', 'set', 'lo', 'up');
  }

  #makeCertificate(): void {
    const at = (name: string): string => join(this.#dir, name);
    const openssl = (...args: readonly string[]): unknown => execFileSync('openssl', args, { stdio: 'pipe' });
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    openssl('req', '-x509', ...ec, '-keyout', at('ca.key'), '-out', this.caPath, '-subj', '/CN=Origin of a test');
    writeFileSync(at('leaf.cnf'), `subjectAltName=DNS:*.${domain},IP:${this.address}\nextendedKeyUsage=serverAuth\n`);
    openssl('req', ...ec, '-keyout', at('key.pem'), '-out', at('leaf.csr'), '-subj', `/CN=${this.name}`);
    const by = ['-CA', this.caPath, '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', at('leaf.csr'), ...by, '-extfile', at('leaf.cnf'), '-out', at('cert.pem'));
    if (!readFileSync(at('cert.pem'), 'utf8').includes('CERTIFICATE')) throw new Error('no certificate was made');
  }

  async #serve(): Promise<void> {
    const server = resolve(import.meta.dirname, 'origin-server.mjs');
    const [certPath, keyPath] = [join(this.#dir, 'cert.pem'), join(this.#dir, 'key.pem')];
    const settings = JSON.stringify({ address: this.address, certPath, keyPath, gitRoot: this.gitRoot });
    const child = spawn('ip', ['netns', 'exec', this.#namespace, process.execPath, server, settings], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#server = child;
    const lines = createInterface({ input: child.stdout });
    this.#lines = lines;
    const up = new Promise<void>((done, failed) => {
      lines.on('line', (line) => {
        const arrival = JSON.parse(line) as Arrival;
        if (arrival.kind === 'listening') done();
        else this.arrivals.push(arrival);
      });
      child.once('exit', (code) => failed(new Error(`the origin ended with code ${String(code)}`)));
    });
    await up;
  }
}
