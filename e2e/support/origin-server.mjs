// A server on the other side of the proxy, run inside a network namespace of its own: plain HTTP, HTTPS, git over HTTPS,
// and ports that only listen. Whatever reaches it is told on standard output, one JSON line each.

import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';

const { address, certPath, keyPath, gitRoot } = JSON.parse(process.argv[2] ?? '{}');

/** @param {Record<string, unknown>} what */
function tell(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

/** @type {http.RequestListener} */
function answer(request, response) {
  const url = new URL(request.url ?? '/', 'http://origin');
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  tell({
    kind: scheme,
    method: request.method,
    url: request.url,
    host: request.headers.host,
    headers: request.headers,
  });
  if (url.pathname.startsWith('/git/')) return serveGit(url, request, response);
  if (url.pathname === '/big') {
    const bytes = Number(url.searchParams.get('bytes'));
    response.writeHead(200, { 'content-length': bytes });
    return sendBytes(response, bytes);
  }
  if (url.pathname === '/sink') {
    let bytes = 0;
    request.on('data', (chunk) => (bytes += chunk.length));
    request.on('end', () => response.end(`${bytes}\n`));
    return;
  }
  request.resume();
  response.end('hello from the origin\n');
}

/** @param {http.ServerResponse} response @param {number} bytes */
function sendBytes(response, bytes) {
  const block = Buffer.alloc(64 * 1024, 'x');
  let left = bytes;
  const send = () => {
    while (left > 0) {
      const part = left >= block.length ? block : block.subarray(0, left);
      left -= part.length;
      if (!response.write(part)) return void response.once('drain', send);
    }
    response.end();
  };
  send();
}

/** Smart HTTP by git's own CGI program. @param {URL} url @param {http.IncomingMessage} request @param {http.ServerResponse} response */
function serveGit(url, request, response) {
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: gitRoot,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'somebody',
      REMOTE_ADDR: request.socket.remoteAddress,
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname.slice('/git'.length),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: request.headers['content-length'] }),
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  let head = Buffer.alloc(0);
  let begun = false;
  child.stdout.on('data', (chunk) => {
    if (begun) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    begun = true;
    const lines = head.subarray(0, end).toString('latin1').split('\r\n');
    let status = 200;
    for (const line of lines) {
      const at = line.indexOf(':');
      const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
      if (name.toLowerCase() === 'status') status = Number(value.split(' ')[0]);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
  });
  child.stdout.on('end', () => response.end());
}

http.createServer(answer).listen(80, address);
https.createServer({ cert: readFileSync(certPath), key: readFileSync(keyPath) }, answer).listen(443, address);
net
  .createServer((socket) => {
    tell({ kind: 'tcp', port: 7777 });
    socket.on('error', () => undefined);
    socket.end('direct\n');
  })
  .listen(7777, address);
for (const family of [53, 7778]) {
  dgram
    .createSocket('udp4')
    .on('message', (message) => tell({ kind: 'udp', port: family, bytes: message.length }))
    .bind(family, address, () => tell({ kind: 'listening', port: family }));
}
