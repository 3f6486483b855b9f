import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { dataFolder } from '../../test/dataFolder.ts';
import { atEnd } from '../../test/database.ts';
import { client, send } from '../../test/graphql.ts';
import { postgresPid, signalFamily } from '../../test/processes.ts';
import { openToAll } from '../../test/server.ts';
import { createMaskError } from '../api/graphql/errors/maskError.ts';
import { buildApp } from '../app/app.ts';
import { silentLog } from './log.ts';
import { migrateUp } from './migrate.ts';
import { startPostgres, type EmbeddedPostgres } from './postgres/postgres.ts';
import { createDatabase } from './prisma.ts';
import { temporaryFolder } from '../../test/temporary.ts';

const folder = temporaryFolder('baton-test', dataFolder());

// A PostgreSQL for this file alone, which the server knows by its URL only.
let postgres: EmbeddedPostgres;
const startAgain = async () => {
  postgres = await startPostgres({ folder, log: silentLog, sync: false });
};
await startAgain();
atEnd(() => postgres.stop());
const { url: databaseUrl } = postgres!;
await migrateUp(databaseUrl);
const database = createDatabase(databaseUrl, silentLog);
atEnd(() => database.close());

const count = { type: GraphQLInt };
const app = buildApp({
  env: { host: '127.0.0.1', port: 0 },
  database,
  schema: new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        byPrisma: { ...count, resolve: () => database.prisma.agent.count() },
        byPool: { ...count, resolve: async () => (await database.pool.query('SELECT 1')).rowCount },
      },
    }),
  }),
  log: silentLog,
  authenticate: openToAll,
  createContext: () => ({}),
  maskError: createMaskError(silentLog),
});
await app.start();
atEnd(() => app.stop());
const api = client(app.url);
const answered = { byPrisma: 0, byPool: 1 };

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const before = performance.now();
  const result = await work;
  expect(performance.now() - before).toBeLessThan(milliseconds);
  return result;
}

async function expectAway(milliseconds: number): Promise<void> {
  expect(await within(4_000, send(`${app.url}/readyz`))).toMatchObject({
    status: 503,
    body: '{"status":"unavailable","missing":["postgres"]}',
  });
  expect(await send(`${app.url}/livez`)).toMatchObject({ status: 200 });
  const answers = await within(
    milliseconds,
    Promise.all(['{ byPrisma }', '{ byPool }'].map((query) => api.post(query))),
  );
  for (const answer of answers) expect(answer).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
}

async function expectBack(): Promise<void> {
  await vi.waitFor(async () => expect((await send(`${app.url}/readyz`)).status).toBe(200), { timeout: 60_000 });
  expect(await api.post('{ byPrisma byPool }')).toMatchObject({ data: answered });
}

test('a server is not ready and returns UNAVAILABLE at once while PostgreSQL is stopped, and recovers when it starts', async () => {
  await expectBack();
  await postgres.stop();
  await expectAway(3_000);
  await startAgain();
  await expectBack();
});

test('a server is not ready and returns UNAVAILABLE in bounded time while PostgreSQL is frozen, and recovers afterwards', async () => {
  await expectBack();
  const pid = postgresPid(folder);
  signalFamily(pid, 'SIGSTOP');
  try {
    await expectAway(8_500);
  } finally {
    signalFamily(pid, 'SIGCONT');
  }
  await expectBack();
});

test('a server restarts its killed PostgreSQL, and recovers', async () => {
  await expectBack();
  const pid = postgresPid(folder);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(postgresPid(folder)).not.toBe(pid), { timeout: 60_000 });
  await expectBack();
});
