import { PrismaPg } from '@prisma/adapter-pg';
import { GraphQLError } from 'graphql';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase } from '../../../../test/database.ts';
import { client } from '../../../../test/graphql.ts';
import { startApp } from '../../../../test/server.ts';
import { InvalidStateError, UnavailableError } from '../../../core/errors.ts';
import { encodeId, newId } from '../../../core/ids.ts';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import { silentLog } from '../../../infra/log.ts';
import { createDatabase } from '../../../infra/prisma.ts';
import { createMaskError } from './maskError.ts';

const lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push(line) });
const database = await testDatabase();
const { url } = await startApp(database, { log });
const { post } = client(url);

afterEach(() => void lines.splice(0));

async function errorOf(query: string, variables: object = {}) {
  const { errors } = await post(query, variables);
  expect(errors).toHaveLength(1);
  return errors![0]!;
}

describe('an error of the caller keeps its code:', () => {
  test('a document that does not parse', async () => {
    expect(await errorOf('{ sessions(')).toMatchObject({ extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
  });

  test('more wrong variables than the answer lists', async () => {
    const query = 'mutation ($input: SetTasksInput!) { setTasks(input: $input) { __typename } }';
    const { errors } = await post(query, {
      input: { sessionId: encodeId('session', newId()), tasks: Array.from({ length: 60 }, () => ({})) },
    });
    expect(new Set(errors!.map(({ extensions }) => extensions['code']))).toEqual(new Set(['BAD_USER_INPUT']));
    expect(lines).toEqual([]);
  });

  test('variables that do not fit, with the nearest names', async () => {
    const query =
      'query ($id: ID!, $where: SessionFilter) { session(id: $id) { id } sessions(where: $where) { nodes { id } } }';
    for (const variables of [
      {},
      { id: {} },
      { id: 'x', where: { status: ['RUNING'] } },
      { id: 'x', where: { createdAfter: 'yesterday' } },
      { id: 'x', where: { nonsense: 1 } },
    ]) {
      const error = await errorOf(query, variables);
      expect(error.extensions.code).toBe('BAD_USER_INPUT');
    }
    expect((await errorOf(query, { id: 'x', where: { status: ['RUNING'] } })).message).toMatch(
      /Did you mean the enum value "RUNNING"\?$/,
    );
  });

  test('the id of another kind, with both kinds named', async () => {
    const handoffId = encodeId('handoff', newId());
    expect(await errorOf('query ($id: ID!) { session(id: $id) { id } }', { id: handoffId })).toEqual({
      message: 'id is the id of a handoff: give the id of a session',
      locations: [{ line: 1, column: 20 }],
      path: ['session'],
      extensions: { code: 'BAD_USER_INPUT', path: ['id'] },
    });
    expect(
      await errorOf('query ($id: ID!) { handoffs(where: { sessionId: $id }) { nodes { id } } }', { id: handoffId }),
    ).toMatchObject({
      path: ['handoffs'],
      extensions: { code: 'BAD_USER_INPUT', path: ['where', 'sessionId'] },
    });
  });

  test.each([
    ['{ session(id: "nonsense") { id } }', ['id']],
    ['{ session(id: "session_00000000000000000000000000\\u0000") { id } }', ['id']],
    ['{ agent(id: "No Slug") { id } }', ['id']],
    ['{ agents(where: { type: "claude" }) { nodes { id } } }', ['where', 'type']],
    ['{ agents(where: { role: "a\\u0000b" }) { nodes { id } } }', ['where', 'role']],
    ['{ sessions(where: { titleContains: "a\\u0000b" }) { nodes { id } } }', ['where', 'titleContains']],
    ['{ sessions(where: { createdAfter: "0000-01-01T00:00:00Z" }) { nodes { id } } }', ['where', 'createdAfter']],
    ['{ handoffs(where: { staleForMinutes: -1 }) { nodes { id } } }', ['where', 'staleForMinutes']],
    ['{ handoffGraph(where: { agentId: "" }) { nodes { given } } }', ['where', 'agentId']],
    ['{ sessionEvents(sessionId: "claude-1") { nodes { id } } }', ['sessionId']],
    ['{ contextPreview(sessionId: "session_00000000000000000000000000", maxTokens: 1) { text } }', ['maxTokens']],
    ['{ contextItem(handoffId: "handoff_00000000000000000000000000", itemId: "\\u0000") { kind } }', ['itemId']],
  ])('%s', async (query, path) => {
    expect(await errorOf(query)).toMatchObject({ extensions: { code: 'BAD_USER_INPUT', path } });
    expect(lines).toEqual([]);
  });

  test('an unpaired surrogate in a variable', async () => {
    const query = 'query ($title: String) { sessions(where: { titleContains: $title }) { nodes { id } } }';
    expect(await errorOf(query, { title: 'a\ud800' })).toMatchObject({
      extensions: { code: 'BAD_USER_INPUT', path: ['where', 'titleContains'] },
    });
  });

  test('more ids than nodes accepts', async () => {
    const ids = Array.from({ length: 101 }, () => 'claude-1');
    expect(await errorOf('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).toMatchObject({
      path: ['nodes'],
      extensions: { code: 'BAD_USER_INPUT', path: ['ids'] },
    });
  });

  test('a refusal outside of a union, with its data', () => {
    expect(
      createMaskError(silentLog)(new InvalidStateError('It is done: begin another', 'COMPLETED', ['RUNNING'])),
    ).toMatchObject({
      message: 'It is done: begin another',
      extensions: { code: 'INVALID_STATE', state: 'COMPLETED', allowed: ['RUNNING'] },
    });
  });
});

describe('an internal error is masked:', () => {
  beforeAll(async () => {
    await database.pool.query('ALTER TABLE decisions RENAME TO resolutions');
    return () => database.pool.query('ALTER TABLE resolutions RENAME TO decisions');
  });

  test('the answer has a reference that is also in the log', async () => {
    const id = encodeId('decision', newId());
    const { errors } = await post('query ($id: ID!) { node(id: $id) { id ... on Decision { text } } }', { id });
    const [error] = errors!;
    const { code, reference } = error!.extensions as { code: string; reference: string };
    expect(code).toBe('INTERNAL_SERVER_ERROR');
    expect(error!.message).toBe(`Internal error: give an operator the reference ${reference}`);
    expect(error!.path).toEqual(['node']);
    expect(JSON.stringify(errors)).not.toMatch(/prisma|select|decisions|resolutions|does not exist|\.ts|node_modules/i);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(reference);
    expect(lines[0]).toContain('decisions');
  });

  test.each([
    ['a bug', new TypeError("Cannot read properties of undefined (reading 'secretColumn')")],
    [
      'a bug within a resolver',
      new GraphQLError('SELECT secretColumn', { originalError: new Error('SELECT secretColumn') }),
    ],
    [
      'an error of GraphQL about a value of the server',
      new GraphQLError('Int cannot represent non 32-bit signed integer value: secretColumn'),
    ],
    ['an unknown code', new GraphQLError('secretColumn', { extensions: { code: 'ECONFIG', stack: 'secretColumn' } })],
    ['a thrown string', 'secretColumn'],
    ['undefined', undefined],
  ])('%s shows only INTERNAL_SERVER_ERROR', (_name, error) => {
    const masked = createMaskError(log)(error);
    expect(masked).toMatchObject({ extensions: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(JSON.stringify(masked)).not.toContain('secretColumn');
    expect(lines).toHaveLength(1);
  });

  test('a public error shows only its code and status', () => {
    const masked = createMaskError(log)(
      new GraphQLError('No', {
        extensions: { code: 'BAD_REQUEST', stacktrace: 'at secretColumn', http: { status: 400 } },
      }),
    );
    expect(masked).toMatchObject({ message: 'No', extensions: { code: 'BAD_REQUEST', http: { status: 400 } } });
    expect(JSON.stringify(masked)).not.toContain('secretColumn');
  });
});

describe('an unreachable PostgreSQL is UNAVAILABLE', () => {
  const codeOf = (error: unknown): unknown => (createMaskError(log)(error) as GraphQLError).extensions['code'];
  const failing = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  test('when no server listens', async () => {
    const nowhere = createDatabase('postgresql://nobody@127.0.0.1:1/nothing', silentLog);
    expect(codeOf(await failing(nowhere.prisma.session.findMany()))).toBe('UNAVAILABLE');
    expect(codeOf(await failing(nowhere.pool.query('SELECT 1')))).toBe('UNAVAILABLE');
    await nowhere.close();
  });

  test('when it ends a connection, cancels a statement, or a lock takes too long', async () => {
    const { prisma } = database;
    expect(codeOf(await failing(prisma.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`))).toBe('UNAVAILABLE');
    expect(codeOf(await failing(prisma.$queryRaw`SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)`))).toBe(
      'UNAVAILABLE',
    );
    const holder = await database.pool.connect();
    await holder.query('BEGIN; LOCK TABLE tasks');
    const impatient = prisma.$transaction([prisma.$executeRaw`SET LOCAL lock_timeout = 1`, prisma.task.findMany()]);
    expect(codeOf(await failing(impatient))).toBe('UNAVAILABLE');
    await holder.query('ROLLBACK');
    holder.release();
  });

  test('when no connection is free in time or the answer is late', async () => {
    const pool = new pg.Pool({
      connectionString: database.url,
      max: 1,
      connectionTimeoutMillis: 2_000,
      query_timeout: 1_000,
    });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    const held = await pool.connect();
    expect(codeOf(await failing(prisma.task.findMany()))).toBe('UNAVAILABLE');
    held.release();
    expect(codeOf(await failing(prisma.$queryRaw`SELECT pg_sleep(10)::text`))).toBe('UNAVAILABLE');
    await prisma.$disconnect();
    await pool.end();
  });

  test.each([
    '57014',
    '57P01',
    '57P02',
    '57P03',
    '53300',
    '08000',
    '08006',
    '55P03',
    'ECONNREFUSED',
    'ECONNRESET',
    'P1001',
    'P1002',
    'P1008',
    'P1017',
    'P2024',
    'P2034',
  ])('with the code %s at any depth', (code) => {
    expect(codeOf(Object.assign(new Error('x'), { code }))).toBe('UNAVAILABLE');
    expect(
      codeOf(
        new GraphQLError('x', { originalError: new Error('x', { cause: Object.assign(new Error('y'), { code }) }) }),
      ),
    ).toBe('UNAVAILABLE');
  });

  test('and the message says whether something may have changed', () => {
    expect(createMaskError(log)(new UnavailableError())).toMatchObject({
      message: expect.stringContaining('nothing was changed') as string,
    });
    expect(createMaskError(log)(new UnavailableError('unknown'))).toMatchObject({
      message: expect.stringContaining('same idempotency key') as string,
    });
    // A read that failed may be that of a payload, whose mutation stands.
    expect(createMaskError(log)(Object.assign(new Error('x'), { code: '57P01' })).message).not.toContain(
      'nothing was changed',
    );
  });
});
