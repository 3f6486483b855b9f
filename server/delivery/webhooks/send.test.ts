import { createServer as createTcp, type AddressInfo, type LookupFunction, type Server } from 'node:net';
import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { receiver } from '../../../test/receiver.ts';
import { createSender, type SenderOptions } from './send.ts';

const allow = ['127.0.0.1'];
function sender(options: Partial<SenderOptions> = {}) {
  const made = createSender({ allow, timeoutMs: 10_000, ...options });
  atEnd(() => made.close());
  return (url: string) => made.post(url, { 'content-type': 'application/json' }, '{"id":"event_1"}');
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A receiver that answers each connection with these bytes. */
async function raw(bytes: string | null): Promise<string> {
  const server = createTcp((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (bytes === null ? socket.destroy() : socket.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return `http://127.0.0.1:${portOf(server)}/`;
}

describe('a receiver', () => {
  it.each([
    [200, null],
    [204, null],
    [301, 'REDIRECT'],
    [404, 'STATUS'],
    [500, 'STATUS'],
  ])('that answers %i', async (status, error) => {
    const { url, answers, received } = await receiver();
    answers.with = (_one, response) => response.writeHead(status, { location: url }).end('whatever');
    expect(await sender()(url)).toEqual({ status, error });
    expect(received).toHaveLength(1);
  });

  it('that sends an endless body has answered with its status, and is cut off', async () => {
    let ended = (): void => undefined;
    const cut = new Promise<void>((resolve) => (ended = resolve));
    const server = createServer((_request, response) => {
      response.writeHead(200);
      const more = setInterval(() => response.write('x'.repeat(8_192)), 1);
      response.on('close', () => {
        clearInterval(more);
        ended();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => void server.close());
    expect(await sender()(`http://127.0.0.1:${portOf(server)}/`)).toEqual({ status: 200, error: null });
    await cut;
  });

  it.each([
    ['that answers no HTTP', 'nonsense\r\n\r\n'],
    ['that closes without an answer', null],
    ['with endless headers', `HTTP/1.1 200 OK\r\n${'a: bbbbbbbbbbbbbbbb\r\n'.repeat(5_000)}`],
  ])('%s is UNREACHABLE', async (_what, bytes) => {
    expect(await sender()(await raw(bytes))).toEqual({ status: null, error: 'UNREACHABLE' });
  });

  it('that answers 101 has answered with a status, and is cut off', async () => {
    const url = await raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nmore');
    expect(await sender()(url)).toEqual({ status: 101, error: 'STATUS' });
  });

  it.each([
    ['that never answers', ''],
    ['that never ends its headers', 'HTTP/1.1 200 OK\r\na: b\r\n'],
    ['that only announces an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('%s is a TIMEOUT', async (_what, bytes) => {
    expect(await sender({ timeoutMs: 150 })(await raw(bytes))).toEqual({ status: null, error: 'TIMEOUT' });
  });

  it('that is not there is UNREACHABLE, and that has no name UNKNOWN_HOST', async () => {
    const server = createTcp();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = portOf(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await sender()(`http://127.0.0.1:${port}/`)).toEqual({ status: null, error: 'UNREACHABLE' });
    const unknown: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '');
    expect(await sender({ lookup: unknown })('https://hooks.example.com/')).toEqual({
      status: null,
      error: 'UNKNOWN_HOST',
    });
  });

  it('without the certificate of its name is refused with TLS', async () => {
    const plain = await raw('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    expect((await sender()(plain.replace('http:', 'https:'))).error).toMatch(/TLS|UNREACHABLE/);
  });
});

describe('a name', () => {
  /** Resolves to one list after another, as a name that is pointed elsewhere. */
  const repointed = (...answers: string[][]): LookupFunction => {
    let asked = 0;
    return (_host, _options, callback) =>
      callback(
        null,
        answers[Math.min(asked++, answers.length - 1)]!.map((address) => ({
          address,
          family: address.includes(':') ? 6 : 4,
        })),
      );
  };

  it('is sent to where it points at the time of the connection', async () => {
    const { url, received } = await receiver();
    const named = url.replace('127.0.0.1', 'hooks.example.com');
    expect(await sender({ lookup: repointed(['127.0.0.1']) })(named)).toEqual({ status: 204, error: null });
    expect(received[0]!.headers.host).toMatch(/^hooks\.example\.com:/);
  });

  it.each([
    [['127.0.0.1']],
    [['10.0.0.1']],
    [['::1']],
    [['::ffff:169.254.169.254']],
    [['93.184.216.34', '127.0.0.1']],
    [[]],
  ])('that points to %j is refused as private', async (addresses) => {
    const { url, received } = await receiver();
    const named = url.replace('127.0.0.1', 'hooks.example.com').replace('http:', 'https:');
    expect(await sender({ allow: [], lookup: repointed(addresses) })(named)).toEqual({
      status: null,
      error: 'PRIVATE_ADDRESS',
    });
    expect(received).toEqual([]);
  });

  it('that is pointed to a private address after its first delivery is refused from then on', async () => {
    const { url, answers, received } = await receiver();
    answers.with = (_one, response) => response.writeHead(200, { connection: 'close' }).end();
    const post = sender({ lookup: repointed(['127.0.0.1'], ['127.0.0.2']) });
    const named = url.replace('127.0.0.1', 'hooks.example.com');
    expect(await post(named)).toEqual({ status: 200, error: null });
    expect(await post(named)).toEqual({ status: null, error: 'PRIVATE_ADDRESS' });
    expect(received).toHaveLength(1);
  });

  it('without https is refused where it points to a public address', async () => {
    expect(await sender({ lookup: repointed(['93.184.216.34']) })('http://hooks.example.com/')).toEqual({
      status: null,
      error: 'PRIVATE_ADDRESS',
    });
  });
});

it('a literal private address is refused without a connection', async () => {
  const { url, received } = await receiver();
  expect(await sender({ allow: [] })(url)).toEqual({ status: null, error: 'PRIVATE_ADDRESS' });
  expect(received).toEqual([]);
});

it('is sent once for each post, whatever the receiver does with its connections', async () => {
  const doings = fc.array(fc.constantFrom('take', 'keep silent', 'reset', 'end', 'take and reset', 'take late'), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(doings, async (does) => {
      let posts = 0;
      const server = createServer({ keepAliveTimeout: 1_000_000 }, (request, response) => {
        const doing = does[posts];
        posts += 1;
        request.on('error', () => undefined);
        if (doing === 'reset') request.socket.resetAndDestroy();
        if (doing === 'end') request.socket.end();
        if (doing === 'take') response.end();
        if (doing === 'take and reset') response.end(() => request.socket.resetAndDestroy());
        if (doing === 'take late') request.socket.once('close', () => response.end());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const made = createSender({ allow, timeoutMs: 40 });
      for (let number = 1; number <= does.length; number += 1) {
        await made.post(`http://127.0.0.1:${portOf(server)}/`, {}, '{}');
        await new Promise(setImmediate);
        // A machine that is too busy to connect in time sends none.
        expect(posts).toBeLessThanOrEqual(number);
        posts = number;
      }
      made.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
    { numRuns: 15 },
  );
});
