import { PrismaPg } from '@prisma/adapter-pg';
import { GraphQLError } from 'graphql';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../../../test/database.ts';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import { silentLog } from '../../../infra/log.ts';
import { Client } from '../../../infra/postgres/client.ts';
import { createMaskError } from './maskError.ts';

const database = await testDatabase();
const codeOf = (error: unknown): unknown => (createMaskError(silentLog)(error) as GraphQLError).extensions['code'];
const thrownBy = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const unavailable = {
  'the connection is lost or refused': [
    '08000',
    '08001',
    '08003',
    '08004',
    '08006',
    '08007',
    '08P01',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
  ],
  'PostgreSQL is read-only': ['25006'],
  'a transaction waits or runs too long': ['25P03', '25P04', '57014', '55P03', '40P01', '40001', '40003'],
  'PostgreSQL rejects the login': ['28000', '28P01', '3D000'],
  'PostgreSQL lacks a resource': ['53000', '53100', '53200', '53300', '53400'],
  'PostgreSQL stops, crashed or starts': ['57000', '57P01', '57P02', '57P03', '57P04', '57P05'],
  'the system of PostgreSQL fails': ['58000', '58030'],
  'Prisma reports it': [
    'P1000',
    'P1001',
    'P1002',
    'P1003',
    'P1008',
    'P1010',
    'P1011',
    'P1017',
    'P2024',
    'P2028',
    'P2034',
    'P2037',
  ],
};

describe.each(Object.entries(unavailable))('is UNAVAILABLE when %s:', (_why, codes) => {
  it.each(codes)('%s, as a plain error, in a GraphQL error and as the adapter of Prisma wraps it', (code) => {
    const error = Object.assign(new Error('x'), { code });
    expect(codeOf(error)).toBe('UNAVAILABLE');
    expect(codeOf(new GraphQLError('x', { originalError: error }))).toBe('UNAVAILABLE');
    const adapted = Object.assign(new Error('x'), { cause: { kind: 'postgres', code, originalCode: code } });
    expect(codeOf(Object.assign(new Error('x'), { code: 'P2010', meta: { driverAdapterError: adapted } }))).toBe(
      'UNAVAILABLE',
    );
  });
});

it('P1001 of a Prisma client that could not connect is UNAVAILABLE', () => {
  expect(codeOf(Object.assign(new Error('x'), { errorCode: 'P1001' }))).toBe('UNAVAILABLE');
});

it.each([
  '22P02',
  '22003',
  '23502',
  '23503',
  '23514',
  '25P01',
  '25P02',
  '42501',
  '42601',
  '42703',
  '42P01',
  'XX000',
  'P2002',
  'P2010',
  'P2025',
  'ERR_ASSERTION',
])('%s is a bug: INTERNAL_SERVER_ERROR', (code) =>
  expect(codeOf(Object.assign(new Error('x'), { code }))).toBe('INTERNAL_SERVER_ERROR'),
);

describe('an error of the real Prisma client is UNAVAILABLE', () => {
  it('in a read-only transaction', async () => {
    const writing = database.prisma.$transaction([
      database.prisma.$executeRaw`SET TRANSACTION READ ONLY`,
      database.prisma.task.deleteMany(),
    ]);
    expect(codeOf(await thrownBy(writing))).toBe('UNAVAILABLE');
  });

  it('in a transaction that exceeds its time or gets no connection', async () => {
    const late = await thrownBy(
      database.prisma.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(1)::text`, { timeout: 20 }),
    );
    expect(late).toMatchObject({ code: 'P2028' });
    expect(codeOf(late)).toBe('UNAVAILABLE');
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    const held = await pool.connect();
    const waited = await thrownBy(prisma.$transaction((tx) => tx.task.findMany(), { maxWait: 20 }));
    held.release();
    await prisma.$disconnect();
    await pool.end();
    expect(waited).toMatchObject({ code: 'P2028' });
    expect(codeOf(waited)).toBe('UNAVAILABLE');
  });

  it('with a wrong password', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg(database.url.replace(/:[^:@/]+@/, ':wrong@')) });
    expect(codeOf(await thrownBy(prisma.task.findMany()))).toBe('UNAVAILABLE');
    await prisma.$disconnect();
  });
});

it('no host that is what DATABASE_URL asks for, as during a failover, is UNAVAILABLE', async () => {
  const client = new Client({
    connectionString: `${database.url}${database.url.includes('?') ? '&' : '?'}target_session_attrs=standby`,
  });
  const refused = await thrownBy(client.connect());
  expect(refused).toMatchObject({ message: 'no host of DATABASE_URL is standby' });
  expect(codeOf(refused)).toBe('UNAVAILABLE');
});
