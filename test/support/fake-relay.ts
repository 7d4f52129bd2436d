// Plays Kraft's relay over its real sockets: `fake-relay.ts MODE PORT DIRECTORY`. It listens nowhere, since all that a test
// has of a container is a process of this machine; what a worker would send, a test sends to the socket itself.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

const [mode = '', , directory = ''] = process.argv.slice(2);

function greet(): void {
  const control = connect(join(directory, 'c.sock'));
  control.setEncoding('latin1');
  control.on('connect', () => control.write(`kraft-relay ${mode === 'later-version' ? 9 : 1} ready\n`));
  control.on('data', (text: string) => {
    const nonce = /^probe (\w+)\n$/u.exec(text)?.[1];
    if (nonce !== undefined) probe(control, nonce);
  });
  control.on('error', () => undefined);
  control.on('close', () => setTimeout(greet, 20));
}

function probe(control: Socket, nonce: string): void {
  const through = connect(join(directory, 's.sock'));
  through.setEncoding('latin1').on('error', () => control.write(`probe ${nonce} 0\n`));
  through.on('data', (text: string) => {
    control.write(`probe ${nonce} ${text.slice(9, 12)}\n`);
    through.destroy();
  });
  through.write('CONNECT selftest.kraft.invalid:443 HTTP/1.1\r\n\r\n');
}

if (mode === 'ends') process.exit(3);
if (mode !== 'silent') greet();
setInterval(() => undefined, 60_000);
