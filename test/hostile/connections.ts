import type { Hostile } from './request.ts';

const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const websocket = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol: graphql-transport-ws\r\n',
].join('\r\n');

export const connections: readonly Hostile[] = [
  { name: 'what is no HTTP', raw: 'NONSENSE\r\n\r\n', status: 400 },
  { name: 'a TLS greeting', raw: Buffer.from('16030100a5010000a10303', 'hex'), status: 400 },
  { name: 'no host', raw: 'GET /livez HTTP/1.1\r\n\r\n', status: 400 },
  { name: 'two lengths', raw: `${head}content-length: 2\r\ncontent-length: 40\r\n\r\n{}`, status: 400 },
  {
    name: 'a length and chunks (smuggling)',
    raw: `${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nPOST /graphql HTTP/1.1\r\n`,
    status: 400,
  },
  { name: 'chunks twice', raw: `${head}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, status: 400 },
  { name: 'a length below zero', raw: `${head}content-length: -1\r\n\r\n`, status: 400 },
  { name: 'a chunk of no size', raw: `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`, status: 400 },
  {
    name: 'a chunk that claims all memory',
    raw: `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    status: 400,
  },
  { name: 'a space before the colon', raw: 'GET /livez HTTP/1.1\r\nhost : localhost\r\n\r\n', status: 400 },
  {
    name: 'a bare line feed in a header',
    raw: 'GET /livez HTTP/1.1\r\nhost: localhost\r\nx: a\rb\r\n\r\n',
    status: 400,
  },
  { name: 'NUL in a header', raw: 'GET /livez HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n', status: 400 },
  {
    name: 'an address that is none',
    raw: 'GET http://[ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
    status: 400,
  },
  { name: 'another version of HTTP', raw: 'GET /livez HTTP/9.9\r\nhost: localhost\r\n\r\n', status: 400 },
  { name: 'a proxy to elsewhere', raw: 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: localhost\r\n\r\n', status: null },
  {
    name: '16 MB of headers',
    raw: `GET /livez HTTP/1.1\r\nhost: localhost\r\n${'x: y\r\n'.repeat(100_000)}`,
    status: 431,
  },
  { name: 'a socket to nowhere', raw: `GET /sessions HTTP/1.1\r\nhost: localhost\r\n${websocket}\r\n`, status: 404 },
  {
    name: 'a socket from a foreign page',
    raw: `GET /graphql HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\n${websocket}\r\n`,
    status: 403,
  },
  {
    name: 'a socket under another name (DNS rebinding)',
    raw: `GET /graphql HTTP/1.1\r\nhost: evil.example\r\norigin: http://evil.example\r\n${websocket}\r\n`,
    status: 403,
  },
  {
    name: 'an expectation that nobody meets',
    raw: `${head}expect: everything\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    status: 417,
  },
];
