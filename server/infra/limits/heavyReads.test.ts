import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { client, send } from '../../../test/graphql.ts';
import { secretFor } from '../../../test/keyring.ts';
import { startApp } from '../../../test/server.ts';
import { rawSocket } from '../../../test/socket.ts';

const database = await testDatabase();
const heavyReads = { cost: 100, atOnce: 2, ofKey: 1, waiting: 10, waitMs: 300 };
const [one, other] = [await secretFor(database.pool, 'OPERATOR'), await secretFor(database.pool, 'OPERATOR')];
const { url } = await startApp(database, { heavyReads });
const heavy = '{ agents(first: 100) { nodes { id } } }';

const ask = (key: string, query: string) =>
  send(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  });

/** Until it is released, no query of agents ends. */
async function holdAgents(): Promise<() => Promise<void>> {
  const holder = await database.pool.connect();
  await holder.query('BEGIN; LOCK TABLE agents IN ACCESS EXCLUSIVE MODE');
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}

const waitsForAgents = () =>
  expect
    .poll(
      async () =>
        (await database.pool.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'agents'::regclass"))
          .rowCount,
    )
    .toBeGreaterThan(0);

test('rejects a heavy query with UNAVAILABLE when its key gets no turn in time, and serves light queries and other keys', async () => {
  const release = await holdAgents();
  const first = ask(one, heavy);
  await waitsForAgents();
  const second = await ask(one, heavy);
  expect([second.status, second.headers['retry-after'], JSON.parse(second.body)]).toMatchObject([
    503,
    '1',
    { errors: [{ extensions: { code: 'UNAVAILABLE' } }] },
  ]);
  expect((await ask(one, '{ sessions(first: 10) { nodes { id } } }')).status).toBe(200);
  expect((await ask(other, '{ sessions(first: 100) { nodes { id } } }')).status).toBe(200);
  await release();
  expect(JSON.parse((await first).body)).toMatchObject({ data: { agents: { nodes: [] } } });
  expect((await client(url, { key: one }).post(heavy)).errors).toBeUndefined();
});

test('gives heavy queries over a socket the same turns', async () => {
  const release = await holdAgents();
  const first = ask(one, heavy);
  await waitsForAgents();
  const socket = await rawSocket(url);
  await socket.init({ authorization: `Bearer ${one}` });
  socket.subscribe('1', heavy);
  expect((await socket.result('1')).errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
  await release();
  expect((await first).status).toBe(200);
  socket.close();
});
