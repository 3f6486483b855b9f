import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { adminKey, secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database, { variables: { BATON_ADMIN_KEY: adminKey } });
const port = Number(new URL(url).port);
const analyst = await secretFor(database.pool, 'ANALYST');

const json = 'content-type: application/json';
const admin = `authorization: Bearer ${adminKey}`;
const routes: [name: string, target: string, headers: string[]][] = [
  ['401 of /graphql', 'POST /graphql', [json]],
  ['415 of /graphql', 'POST /graphql', [admin, 'content-type: text/plain']],
  ['400 or 413 of /graphql', 'POST /graphql', [admin, json]],
  ['events of /graphql', 'POST /graphql', [admin, json, 'accept: text/event-stream']],
  ['405 of /graphql', 'PUT /graphql', [admin, json]],
  ['401 of /mcp', 'POST /mcp', [json]],
  ['404 of /mcp', 'POST /mcp/nobody', [admin, json, 'accept: application/json, text/event-stream']],
  ['400 or 413 of /mcp', 'POST /mcp', [admin, json]],
  ['405 of /mcp', 'PUT /mcp', [admin]],
  ['401 of /agents/import', 'POST /agents/import', [json]],
  ['403 of /agents/import', 'POST /agents/import', [`authorization: Bearer ${analyst}`, json]],
  ['415 of /agents/import', 'POST /agents/import', [admin]],
  ['400 of /agents/import', 'POST /agents/import', [admin, json]],
  ['401 of a transcript', 'POST /sessions/x/transcript', []],
  ['400 of a transcript', 'POST /sessions/x/transcript', [admin]],
  ['415 of a transcript', 'POST /sessions/x/transcript', [admin, 'content-type: multipart/form-data']],
  ['405 of a transcript', 'PUT /sessions/x/transcript', [admin]],
  ['405 of a download', 'POST /sessions/x.json', [admin]],
  ['404 of an unknown path', 'POST /nowhere', []],
  ['415 of any path', 'POST /nowhere', ['content-encoding: gzip']],
  ['400 of an address', 'POST //', []],
  ['200 of the dashboard', 'GET /', ['accept: text/html']],
  ['200 of a probe', 'GET /livez', []],
  ['431', 'POST /graphql', Array.from({ length: 101 }, (_, n) => `x-${n}: y`)],
];
const sizes = [0, 1, 10_000, 300_000, 1_500_000];

interface Said {
  statuses: number[];
  closes: boolean;
  end: 'end' | 'reset' | 'open';
}

/** Sends the request and, without waiting, the next one. */
function converse(target: string, headers: string[], bytes: number, chunked: boolean, late: boolean): Promise<Said> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    atEnd(() => void socket.destroy());
    let text = '';
    const said = (end: Said['end']): void => {
      const [first = ''] = text.split('\r\n\r\n');
      socket.destroy();
      resolve({
        statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
        closes: /^connection: close$/im.test(first),
        end,
      });
    };
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if ([...text.matchAll(/HTTP\/1\.1 \d{3}/g)].length === 2) said('open');
    });
    socket.on('end', () => said('end')).on('error', () => said('reset'));
    const body = Buffer.alloc(bytes, 'x');
    const head = [
      `${target} HTTP/1.1`,
      'host: localhost',
      chunked ? 'transfer-encoding: chunked' : `content-length: ${bytes}`,
      ...headers,
    ];
    const chunk = bytes === 0 ? '' : `${bytes.toString(16)}\r\n${body.toString()}\r\n`;
    const rest = Buffer.concat([
      chunked ? Buffer.from(`${chunk}0\r\n\r\n`) : body,
      Buffer.from('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'),
    ]);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    // The rest follows the head at once, or the answer.
    if (late) socket.once('data', () => socket.write(rest));
    else socket.write(rest);
  });
}

describe('the request after one whose body was not read is answered, or the answer said that the connection closes', () => {
  test.each(routes)('%s', async (_name, target, headers) => {
    for (const bytes of sizes)
      for (const chunked of [false, true]) {
        const said = await converse(target, headers, bytes, chunked, false);
        const which = JSON.stringify({ bytes, chunked, said });
        expect(said.end, which).not.toBe('reset');
        if (said.closes) expect(said, which).toMatchObject({ end: 'end', statuses: [expect.any(Number)] });
        else expect(said.statuses, which).toEqual([expect.any(Number), 200]);
      }
  });
});

test.each(routes.filter(([name]) => /^(401|405|404 of an)/.test(name)))(
  'a sender of which the rest comes after the answer learns that the connection closes: %s',
  async (_name, target, headers) => {
    expect(await converse(target, headers, 300_000, false, true)).toMatchObject({ closes: true, end: 'end' });
  },
);
