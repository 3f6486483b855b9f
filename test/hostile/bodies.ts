import { gzipSync } from 'node:zlib';
import { json, type Hostile } from './request.ts';

const posts = (
  name: string,
  body: string | Buffer,
  status: number,
  code?: string,
  headers: Record<string, string> = json,
): Hostile => ({
  name,
  headers,
  body,
  status,
  ...(code !== undefined && { code }),
});

export const bodies: readonly Hostile[] = [
  posts('a list of operations', JSON.stringify(Array(50).fill({ query: '{ viewer { role } }' })), 400, 'BAD_REQUEST'),
  posts('JSON that is null', 'null', 400, 'BAD_REQUEST'),
  posts('JSON that is a number', '1', 400, 'BAD_REQUEST'),
  posts('JSON that is a text', '"{ viewer { role } }"', 400, 'BAD_REQUEST'),
  posts('no body', '', 400, 'BAD_REQUEST'),
  posts('broken JSON', '{"query":"{ viewer', 400, 'BAD_REQUEST'),
  posts('500,000 nested lists', `${'['.repeat(490_000)}${']'.repeat(490_000)}`, 400, 'BAD_USER_INPUT'),
  posts('a query that is a list', '{"query":["{ viewer { role } }"]}', 400, 'BAD_REQUEST'),
  posts('variables that are a text', '{"query":"{ viewer { role } }","variables":"{}"}', 400, 'BAD_REQUEST'),
  posts('variables that are a list', '{"query":"{ viewer { role } }","variables":[1]}', 400, 'BAD_REQUEST'),
  posts('extensions that are a list', '{"query":"{ viewer { role } }","extensions":[]}', 400, 'BAD_REQUEST'),
  posts('parameters of our own making', '{"query":"{ viewer { role } }","admin":true}', 400, 'BAD_REQUEST'),
  posts(
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from('{"query":"{ viewer '), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('"}')]),
    400,
    'GRAPHQL_PARSE_FAILED',
  ),
  posts('a body of 1,000,001 bytes', `{"query":"${'x'.repeat(999_989)}"}`, 413, 'REQUEST_ENTITY_TOO_LARGE'),
  {
    ...posts(
      'the same in chunks, without a length',
      `{"query":"${'x'.repeat(999_989)}"}`,
      413,
      'REQUEST_ENTITY_TOO_LARGE',
    ),
    headers: { ...json, 'transfer-encoding': 'chunked' },
  },
  posts('a compressed bomb', gzipSync(`{"query":"${' '.repeat(50_000_000)}{ viewer { role } }"}`), 415, 'BAD_REQUEST', {
    ...json,
    'content-encoding': 'gzip',
  }),
  posts('a body packed twice', gzipSync(gzipSync('{}')), 415, 'BAD_REQUEST', {
    ...json,
    'content-encoding': 'gzip, gzip',
  }),
  posts('an encoding that nobody knows', '{}', 415, 'BAD_REQUEST', { ...json, 'content-encoding': 'x' }),
  posts('a form', 'query=mutation', 415, 'BAD_REQUEST', { 'content-type': 'application/x-www-form-urlencoded' }),
  posts(
    'a form with files',
    '--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n{"query":"{ viewer { role } }"}\r\n--x--',
    415,
    'BAD_REQUEST',
    { 'content-type': 'multipart/form-data; boundary=x' },
  ),
  posts('plain text', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', { 'content-type': 'text/plain' }),
  posts('application/graphql', '{ viewer { role } }', 415, 'BAD_REQUEST', { 'content-type': 'application/graphql' }),
  posts('a body of no type', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', {}),
  posts('two types in one', '{"query":"{ viewer { role } }"}', 415, 'BAD_REQUEST', {
    'content-type': 'text/plain, application/json',
  }),
];
