import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { send } from '../../../test/graphql.ts';
import { startApp } from '../../../test/server.ts';
import { createPersistedOperations, readManifest } from './persisted.ts';
import { temporaryFolder } from '../../../test/temporary.ts';

const known = 'query Known($n: Int = 1) { sessions(first: $n) { totalCount } }';
const write = 'mutation Write { pauseSession(input: { sessionId: "x" }) { __typename } }';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const filtered = 'query Filtered($where: SessionFilter) { sessions(where: $where) { totalCount } }';
const documents = Object.fromEntries([known, write, filtered].map((text) => [`sha256:${hash(text)}`, text]));
const apollo = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: hash(text) } });

const database = await testDatabase();
const { url } = await startApp(database, { persisted: createPersistedOperations(documents, { only: false }) });
const { url: strict } = await startApp(database, { persisted: createPersistedOperations(documents, { only: true }) });

async function post(base: string, body: object) {
  const { status, body: text } = await send(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status, ...(JSON.parse(text) as { data?: object; errors?: { message: string; extensions: object }[] }) };
}
const answered = { status: 200, data: { sessions: { totalCount: 0 } } };

describe('an operation of the manifest', () => {
  test.each([
    ['documentId', { documentId: `sha256:${hash(known)}` }],
    ['documentId without its prefix, in upper case', { documentId: hash(known).toUpperCase() }],
    ['the hash of Apollo and urql', { extensions: apollo(known) }],
    ['the hash beside its text', { query: known, extensions: apollo(known) }],
    ['its text alone', { query: known }],
  ])('is found by %s, also when only the manifest is allowed', async (_name, body) => {
    expect(await post(url, body)).toMatchObject(answered);
    expect(await post(strict, body)).toMatchObject(answered);
  });

  test('accepts variables, and obeys every limit', async () => {
    expect(await post(strict, { documentId: hash(known), variables: { n: 'x' } })).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  });

  test('can be queried with GET, unless it is a mutation', async () => {
    const get = (search: Record<string, string>) =>
      send(`${strict}/graphql?${new URLSearchParams(search).toString()}`, { headers: { accept: 'application/json' } });
    expect((await get({ documentId: hash(known) })).body).toContain('"totalCount":0');
    expect((await get({ extensions: JSON.stringify(apollo(known)) })).body).toContain('"totalCount":0');
    expect((await get({ documentId: hash(write) })).status).toBe(405);
  });
});

describe('an operation outside of the manifest', () => {
  const other = '{ sessions { totalCount } }';

  test('is executed unless only the manifest is allowed', async () => {
    expect(await post(url, { query: other })).toMatchObject(answered);
    expect(await post(strict, { query: other })).toMatchObject({
      status: 400,
      errors: [
        { message: expect.stringMatching(/BATON_PERSISTED_ONLY/) as string, extensions: { code: 'BAD_REQUEST' } },
      ],
    });
  });

  test.each([
    ['introspection', '{ __schema { queryType { name } } }'],
    ['one more space', `${known} `],
    ['another beside it', `${known} { viewer { role } }`],
  ])('is rejected when only the manifest is allowed: %s', async (_name, query) => {
    expect(await post(strict, { query, operationName: null })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
  });

  test('is not executed when it comes with the hash of one in the manifest', async () => {
    expect(await post(strict, { query: other, extensions: apollo(known), variables: {} })).toMatchObject({
      data: { sessions: {} },
    });
    expect(await post(strict, { query: '{ viewer { role } }', documentId: hash(known) })).toMatchObject({
      data: { sessions: {} },
    });
    expect(await post(strict, { query: other, documentId: hash(other) })).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    });
  });

  test('is refused by its hash in the words that Apollo and urql expect', async () => {
    expect(await post(url, { extensions: apollo(other) })).toMatchObject({
      status: 400,
      errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    });
    expect(await post(strict, { extensions: apollo(other) })).toMatchObject({
      status: 400,
      errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
  });

  test('appears in no error of an operation in the manifest', async () => {
    const wrong = { documentId: hash(filtered), variables: { where: { status: ['RUNING'] } } };
    expect((await post(url, wrong)).errors![0]!.message).toMatch(/Did you mean the enum value "RUNNING"/);
    expect((await post(strict, wrong)).errors![0]!.message).not.toMatch(/Did you mean/);
  });

  test('is refused by its documentId, and executed by its text beside a hash', async () => {
    expect(await post(url, { documentId: 'nonsense' })).toMatchObject({
      status: 400,
      errors: [{ message: 'No operation has this documentId: send its text as query' }],
    });
    expect(await post(url, { query: other, extensions: apollo(other) })).toMatchObject(answered);
  });

  test.each([
    [{ documentId: 1 }],
    [{ documentId: { a: 1 } }],
    [{ extensions: { persistedQuery: 'x' } }],
    [{ extensions: { persistedQuery: { sha256Hash: ['x'] } } }],
    [{ documentId: '__proto__' }],
    [{ documentId: 'constructor' }],
  ])('rejects %j with BAD_REQUEST', async (body) =>
    expect(await post(strict, body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] }),
  );
});

describe('the manifest', async () => {
  const folder = temporaryFolder('manifest');

  test('may be missing, which makes it empty', () => expect(readManifest(join(folder, 'none.json'))).toEqual({}));

  test('reads the file that the build of the dashboard writes', async () => {
    await writeFile(join(folder, 'a.json'), JSON.stringify(documents));
    expect(readManifest(join(folder, 'a.json'))).toEqual(documents);
  });

  test('with other content is rejected at start', async () => {
    await writeFile(join(folder, 'b.json'), '{"short":"{ a }"}');
    expect(() => readManifest(join(folder, 'b.json'))).toThrow();
  });
});
