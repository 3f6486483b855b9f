import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../prisma/seed.ts';
import { atEnd, testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { hashAllTables, type TableHashes } from '../../../test/hash.ts';
import { hostileRequests } from '../../../test/hostile/all.ts';
import type { Hostile } from '../../../test/hostile/request.ts';
import { startApp } from '../../../test/server.ts';
import { silentLog } from '../log.ts';

/** Milliseconds of processor time that no request may take: what grows with the square of a document takes minutes. */
const bound = 5_000;
const leaks = [
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM)\b.*\b(WHERE|VALUES|SET|RETURNING|LIMIT)\b/s,
  /^\s*at .+[:(]\d+:\d+\)?/m,
  /\.[cm]?[jt]s:\d+/,
  /(^|[\s"'(])\/(home|root|tmp|usr|var|opt|Users)\//,
  /node_modules|prisma|postgres|pothos|INTERNAL_SERVER_ERROR|RangeError|TypeError|Maximum call stack/i,
];

const database = await testDatabase();
const { url } = await startApp(database);
const port = Number(new URL(url).port);
let before: TableHashes;

beforeAll(async () => {
  await seed({ pool: database.pool, log: silentLog });
  before = await hashAllTables(database.pool);
});

// After all of it: nothing was written anywhere.
afterAll(async () => expect(await hashAllTables(database.pool)).toEqual(before));

interface Said {
  /** Null when the connection was closed without an answer. */
  status: number | null;
  body: string;
}

function open(to = port): { socket: Socket; said: Promise<Said>; received(): string } {
  const socket = connect(to, '127.0.0.1');
  atEnd(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  // A server that has answered may close while we still send.
  socket.on('error', () => undefined);
  const said = new Promise<Said>((resolve) => {
    socket.once('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? [];
      resolve({ status: status === undefined ? null : Number(status), body: text.slice(text.indexOf('\r\n\r\n') + 4) });
    });
  });
  return { socket, said, received: () => text };
}

async function answerOf({ raw, path = '/graphql', method = 'POST', headers = {}, body }: Hostile): Promise<Said> {
  if (raw === undefined) return send(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const { socket, said } = open();
  socket.write(raw);
  return said;
}

interface Errors {
  errors?: { extensions: { code: string } }[];
  data?: { answer?: { code?: string } } | null;
}
const codeIn = (body: string): string => {
  // A raw answer may come in chunks.
  const json = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1);
  const { errors, data } = JSON.parse(json === '' ? '{}' : json) as Errors;
  return errors?.[0]?.extensions.code ?? data?.answer?.code ?? 'none';
};

const expectNoLeak = (body: string): void => {
  for (const leak of leaks) expect(body).not.toMatch(leak);
  expect(body).not.toContain(process.cwd());
};

test('there are at least 60 hostile requests with different names', () => {
  expect(new Set(hostileRequests.map(({ name }) => name)).size).toBe(hostileRequests.length);
  expect(hostileRequests.length).toBeGreaterThanOrEqual(60);
});

describe('a hostile request gets its documented answer without internals, and the server answers others', () => {
  test.each(hostileRequests.map((request) => [request.name, request] as const))('%s', async (_name, request) => {
    const began = process.cpuUsage();
    const { status, body } = await answerOf(request);
    const alive = await send(`${url}/livez`);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1_000).toBeLessThan(bound);
    expect({ status, code: request.code === undefined ? undefined : codeIn(body) }, body.slice(0, 500)).toEqual({
      status: request.status,
      code: request.code,
    });
    if (request.says !== undefined) expect(body).toMatch(request.says);
    expectNoLeak(body);
    expect(alive.status).toBe(200);
  });
});

describe('a connection', () => {
  test('whose body never ends gets 413 and is closed', async () => {
    const { socket, said } = open();
    socket.write(
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
    const { status, body } = await said;
    expect(status).toBe(413);
    expectNoLeak(body);
  });

  test('gets the answers to many requests in order', async () => {
    const { socket, said } = open();
    const ask = (n: number, close = '') =>
      `GET /graphql?query=%7Ba${n}:__typename%7D HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n${close}\r\n`;
    socket.write(Array.from({ length: 50 }, (_, n) => ask(n, n === 49 ? 'connection: close\r\n' : '')).join(''));
    const { body } = await said;
    expect([...body.matchAll(/"a(\d+)"/g)].map(([, n]) => Number(n))).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test.each([
    [100, 200],
    [101, 431],
    [1_000, 431],
  ])('with %i headers gets %i', async (headers, status) => {
    const { socket, said } = open();
    const named = ['host: localhost', 'content-type: application/json', 'content-length: 25', 'connection: close'];
    const filler = Array.from({ length: headers - named.length }, (_, n) => `x-${n}: y`);
    socket.write(`POST /graphql HTTP/1.1\r\n${[...filler, ...named].join('\r\n')}\r\n\r\n{"query":"{__typename}" }\n`);
    expect((await said).status).toBe(status);
  });

  test('that asks for a socket with 101 headers gets 431', async () => {
    const { socket, said } = open();
    const filler = Array.from({ length: 96 }, (_, n) => `x-${n}: y`);
    socket.write(
      `GET /graphql HTTP/1.1\r\n${filler.join('\r\n')}\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    expect((await said).status).toBe(431);
  });
});

describe('a slow client', async () => {
  const { url: impatient } = await startApp(database, {
    http: { headersWithin: 300, requestWithin: 600, checkedEvery: 50, idleWithin: 500, restWithin: 100 },
  });
  const to = Number(new URL(impatient).port);

  test('that sends its headers too slowly gets 408', async () => {
    const { socket, said } = open(to);
    socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    expect((await said).status).toBe(408);
  });

  test('that sends its headers byte by byte gains no time', async () => {
    const { socket, said } = open(to);
    socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
    const drip = setInterval(() => socket.write('x'), 20);
    const { status } = await said;
    clearInterval(drip);
    expect([408, null]).toContain(status);
  });

  test('that sends its body too slowly gets 408', async () => {
    const { socket, said } = open(to);
    socket.write(
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"query":',
    );
    const { status, body } = await said;
    expect([408, null]).toContain(status);
    expectNoLeak(body);
  });

  test('that does not finish its body after the answer is disconnected', async () => {
    // Nothing else would end it within the time of this test.
    const { url: patient } = await startApp(database, { http: { restWithin: 100 } });
    const { socket, said } = open(Number(new URL(patient).port));
    socket.write('PUT /nowhere HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\nx');
    expect((await said).status).toBe(404);
  });

  test('that sends no further request is disconnected', async () => {
    const { socket, said } = open(to);
    socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect((await said).status).toBe(200);
  });

  test('delays no other client', async () => {
    const slow = Array.from({ length: 200 }, () => {
      const { socket, said } = open(to);
      socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\nx: ');
      return said;
    });
    expect((await client(impatient).post('{ viewer { role } }')).status).toBe(200);
    for (const { status } of await Promise.all(slow)) expect([408, null]).toContain(status);
  });
});
