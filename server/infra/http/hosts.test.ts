import { connect } from 'node:net';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { startApp } from '../../../test/server.ts';

const lines: { level: number }[] = [];
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { level: number }) });
const { url } = await startApp(await testDatabase(), { log });
const { port, hostname } = new URL(url);

/** The status of a request as these bytes; null when the connection is closed without one. */
const statusOf = (head: string): Promise<number | null> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(head, 'latin1')));
    socket.on('data', (part) => {
      answer += part.toString('latin1');
      // A socket that was upgraded stays open.
      if (/^HTTP\/1\.1 \d+/.test(answer)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? Number.NaN) || null));
  });

const piece = fc.constantFrom(
  'localhost',
  ':',
  '99999',
  '80',
  '127.0.0.1',
  '[',
  ']',
  '::1',
  '@',
  '/',
  '?',
  '#',
  '%',
  '%00',
  '\\',
  ' ',
  'a',
  '\xFF',
  '..',
  ',',
  ';',
  '*',
  'http://',
  '-1',
  '1e9',
  '<',
  '^',
  '|',
);
const odd = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
const targets = fc.oneof(
  odd.map((text) => `/${text}`),
  odd.map((text) => `http://${text}`),
  fc.constantFrom(
    '/graphql',
    '/graphql?query={__typename}',
    '/mcp',
    '/agents/import',
    '/livez',
    '*',
    '//evil.example/graphql',
    '/%',
    '/?%ZZ',
  ),
  odd,
);

it('an odd Host or target is never an internal error, and writes no ERROR line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD', 'DELETE'),
      targets,
      fc.oneof(odd, fc.constant(`localhost:${port}`)),
      fc.constantFrom(
        '',
        'Accept: text/html\r\n',
        'Accept: text/event-stream\r\n',
        'Upgrade: websocket\r\nConnection: upgrade\r\n',
      ),
      async (method, target, host, more) => {
        const status = await statusOf(
          `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n${more === '' || more.startsWith('Accept') ? 'Connection: close\r\n' : ''}${more}\r\n`,
        );
        expect(status ?? 400).not.toBe(500);
        expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

it.each([
  'localhost:99999',
  'a b',
  'user@localhost',
  'localhost/x',
  'localhost:1:2',
  '[::1',
  'localhost#x',
  'local%host',
])('the Host %s is answered with 400', async (host) => {
  for (const target of ['/graphql', '/mcp', '/'])
    expect(await statusOf(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toBe(400);
});
