import { gzipSync } from 'node:zlib';
import { json, session, spec, type Hostile } from './request.ts';

const write = 'mutation { registerAgent(input: { id: "intruder", type: "CLAUDE" }) { __typename } }';
const query = (search: Record<string, string>): string => `/graphql?${new URLSearchParams(search).toString()}`;
const accepts = { accept: spec };

export const methods: readonly Hostile[] = [
  { name: 'a mutation by GET', method: 'GET', path: query({ query: write }), headers: accepts, status: 405, code: 'BAD_REQUEST' },
  {
    name: 'a mutation by GET, beside a query',
    method: 'GET',
    path: query({ query: `query A { viewer { role } } ${write.replace('mutation', 'mutation B')}`, operationName: 'B' }),
    headers: accepts,
    status: 405,
    code: 'BAD_REQUEST',
  },
  {
    name: 'a mutation by GET that claims to be POST',
    method: 'GET',
    path: query({ query: write }),
    headers: { ...accepts, 'x-http-method-override': 'POST', ...json },
    status: 405,
    code: 'BAD_REQUEST',
  },
  { name: 'GET without a query', method: 'GET', headers: accepts, status: 400, code: 'BAD_REQUEST' },
  { name: 'GET with broken variables', method: 'GET', path: query({ query: '{ viewer { role } }', variables: '{' }), headers: accepts, status: 400, code: 'BAD_REQUEST' },
  {
    name: 'GET with 1,500 nested variables',
    method: 'GET',
    path: query({ query: '{ viewer { role } }', variables: `{"a":${'['.repeat(1_500)}${']'.repeat(1_500)}}` }),
    headers: accepts,
    status: 400,
    code: 'BAD_USER_INPUT',
  },
  { name: 'GET with broken escapes', method: 'GET', path: '/graphql?query=%E0%A4%A&variables=%', headers: accepts, status: 400, code: 'BAD_REQUEST' },
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'].map((method): Hostile => ({ name: method, method, headers: accepts, status: 405 })),
  { name: 'an address of 20 KB', method: 'GET', path: `/graphql?query=${'x'.repeat(20_000)}`, status: 431 },
  { name: 'a header of 20 KB', headers: { ...json, 'x-long': 'x'.repeat(20_000) }, body: '{}', status: 431 },
  { name: 'a page of another name (DNS rebinding)', headers: { ...json, host: 'evil.example' }, body: '{}', status: 403 },
  { name: 'a download of another method', method: 'DELETE', path: '/handoffs/x.json', status: 405 },
  { name: 'a download with SQL for an id', method: 'GET', path: "/handoffs/'%20OR%201=1.json", status: 404, code: 'NOT_FOUND' },
  { name: 'a download with NUL for an id', method: 'GET', path: '/sessions/%00.json', status: 404, code: 'NOT_FOUND' },
  { name: 'a way out of the folder', method: 'GET', path: '/../../../../etc/passwd', status: 404 },
  { name: 'the same, escaped', method: 'GET', path: '/handoffs/..%2f..%2f..%2fetc%2fpasswd', status: 404 },
  {
    name: 'an upload as a form',
    path: `/sessions/${session}/transcript`,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: 'x',
    status: 415,
    code: 'BAD_REQUEST',
  },
  { name: 'an upload from a foreign page', path: `/sessions/${session}/transcript`, headers: { origin: 'https://evil.example' }, body: 'x', status: 403, code: 'BAD_REQUEST' },
  { name: 'an upload to nowhere', path: '/sessions/nonsense/transcript', body: '{}', status: 400, code: 'BAD_USER_INPUT' },
  { name: 'an upload with broken escapes', path: '/sessions/%zz/transcript', body: '{}', status: 400, code: 'BAD_USER_INPUT' },
  {
    name: 'a compressed upload',
    path: `/sessions/${session}/transcript`,
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync('x'.repeat(1_000_000)),
    status: 415,
    code: 'BAD_REQUEST',
  },
  {
    name: 'an upload that claims 65 GB',
    raw: `POST /sessions/${session}/transcript HTTP/1.1\r\nhost: localhost\r\ncontent-length: 65000000000\r\n\r\n`,
    status: 413,
    code: 'REQUEST_ENTITY_TOO_LARGE',
  },
];
