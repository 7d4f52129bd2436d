// The plainest proxy that Node makes: an http server, its `connect` event and pipes; and `http.request` for absolute form.
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import process from 'node:process';

const [originPort = ''] = process.argv.slice(2);
const origin = { host: '127.0.0.1', port: Number(originPort) };

const server = createServer((incoming, outgoing) => {
  const { pathname } = new URL(incoming.url, 'http://origin.example');
  const settings = { ...origin, method: incoming.method, path: pathname, headers: incoming.headers };
  const onward = request(settings, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
});
server.on('connect', (_request, client) => {
  const upstream = connect({ ...origin, noDelay: true }, () => {
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(upstream);
    upstream.pipe(client);
  });
  upstream.on('error', () => client.destroy());
  client.on('error', () => upstream.destroy());
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => process.stdout.write(`${server.address().port}\n`));
