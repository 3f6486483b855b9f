import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { secretFor } from '../../test/keyring.ts';
import { startApp } from '../../test/server.ts';

const database = await testDatabase();
const { url } = await startApp(database);
const [busy, quiet] = [await secretFor(database.pool, 'OPERATOR'), await secretFor(database.pool, 'OPERATOR')];

/** A document of its own, which takes a millisecond or more to parse and check. */
const query = (n: number): string =>
  `query Q${n} { ${Array.from({ length: 9 }, (_, field) => `viewer${field === 0 ? '' : ' @skip(if: false)'} { role ${'...F '.repeat(40)} }`).join(' ')} } fragment F on Viewer { role key { id name role } agent { id } }`;

async function ask(socket: Socket, key: string, n: number): Promise<string> {
  const body = JSON.stringify({ query: query(n) });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString('latin1');
}

test('a request of a quiet key is answered before a burst of another key', async () => {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: 61 }, async () => {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      return socket;
    }),
  );
  // The keys are known from then on.
  await ask(sockets[0]!, busy, 0);
  await ask(sockets[60]!, quiet, 0);
  const answered: string[] = [];
  const all = sockets.map(async (socket, n) => {
    const answer = await ask(socket, n === 60 ? quiet : busy, n + 1);
    answered.push(n === 60 ? 'quiet' : 'busy');
    return answer;
  });
  expect((await Promise.all(all)).filter((answer) => !answer.startsWith('HTTP/1.1 200'))).toEqual([]);
  expect(answered.indexOf('quiet')).toBeLessThan(30);
  for (const socket of sockets) socket.destroy();
});
