import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StartError } from '../../core/startError.ts';
import { testDatabase } from '../../../test/database.ts';
import { addressOf, Client } from './client.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const host = fc.oneof(
  word,
  fc.tuple(word, fc.integer({ min: 1, max: 65_535 })).map(([name, port]) => `${name}.example:${port}`),
  fc.constantFrom('[::1]', '[fe80::1]:5433', '10.0.0.1:5432'),
);
const login = fc.oneof(
  fc.constant(''),
  word.map((user) => `${user}@`),
  fc
    .tuple(word, fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }))
    .map(([user, password]) => `${user}:${encodeURIComponent(password)}@`),
);

it('a URL of several hosts is one URL for each, in their order, with the same login, database and settings', () => {
  fc.assert(
    fc.property(
      login,
      fc.array(host, { minLength: 1, maxLength: 5 }),
      fc.option(word),
      fc.constantFrom('any', 'read-write', 'read-only', 'primary', 'standby'),
      (before, hosts, database, wanted) => {
        const path = database === null ? '' : `/${database}`;
        const url = `postgresql://${before}${hosts.join(',')}${path}?connect_timeout=3&target_session_attrs=${wanted}`;
        expect(addressOf(url)).toEqual({
          wanted,
          urls: hosts.map((one) => `postgresql://${before}${one}${path}?connect_timeout=3`),
        });
      },
    ),
  );
});

it.each([
  'postgresql://ada:secret@db.example:5432/baton',
  'postgres://db/baton?application_name=x',
  'postgresql://ada@/baton?host=%2Fvar%2Frun%2Fpostgresql',
  'postgresql:///baton?host=/tmp',
])('%s is taken as it is', (url) => {
  const { urls, wanted } = addressOf(url);
  expect(wanted).toBe('any');
  expect(urls.map(decodeURIComponent)).toEqual([decodeURIComponent(url)]);
});

it('sslmode has the meaning of libpq', () => {
  expect(addressOf('postgresql://db/baton?sslmode=require').urls).toEqual([
    'postgresql://db/baton?sslmode=require&uselibpqcompat=true',
  ]);
});

it.each([
  [
    'postgresql://ada:hunter2@db/baton?target_session_attrs=master',
    'target_session_attrs=master: use one of any, read',
  ],
  ['postgresql://ada:hunter2@/baton?host=one,two', 'several hosts in ?host='],
  ['postgresql://ada:hunter2#1@db/baton', 'percent-encode'],
  ['postgresql://ada:hunter2@db:port/baton', 'percent-encode'],
  [`postgresql://ada:hunter2@${Array.from({ length: 17 }, (_, n) => `h${n}`).join()}/baton`, 'more than 16 hosts'],
])('%s is refused, without its password', (url, message) => {
  const refused = () => addressOf(url);
  expect(refused).toThrow(StartError);
  expect(refused).toThrow(message);
  expect(refused).not.toThrow('hunter2');
});

it('no connection compiles plans, also where the database would', async () => {
  const { url, pool } = await testDatabase();
  const compiles = new Client(`${url}&options=${encodeURIComponent('-c jit=on')}`);
  await compiles.connect();
  const shown = await Promise.all(
    [pool, compiles].map(async (one) => (await one.query<{ jit: string }>('SHOW jit')).rows),
  );
  await compiles.end();
  expect(shown).toEqual([[{ jit: 'off' }], [{ jit: 'off' }]]);
});
