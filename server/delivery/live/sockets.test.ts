import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atEnd } from '../../../test/database.ts';
import { limits, type SocketLimits } from '../../core/limits.ts';
import { silentLog } from '../../infra/log.ts';
import { createSocketServer, type OpenSocket } from './sockets.ts';

/** A server of sockets, and its port. */
async function serve(onMessage: (text: string) => Promise<void>, some: Partial<SocketLimits> = {}): Promise<number> {
  const opened = (socket: OpenSocket) => socket.onMessage(onMessage);
  const sockets = createSocketServer({
    log: silentLog,
    limits: { ...limits.sockets, ...some },
    handleProtocols: () => false,
    opened,
  });
  const server = createServer();
  server.on('upgrade', (request, tcp, head) => sockets.upgrade(request, tcp, head, '127.0.0.1'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    await sockets.close();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const arrived: string[] = [];
const port = await serve(async (text) => void arrived.push(text));

const key = randomBytes(16).toString('base64');

/** A client that sends any bytes, frames or not. */
async function rawClient(at = port) {
  const tcp: Socket = connect(at, '127.0.0.1');
  let bytes = Buffer.alloc(0);
  tcp.write(
    `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  tcp.on('error', () => undefined);
  const closeCode = new Promise<number | null>((resolve) => {
    tcp.on('data', (chunk: Buffer) => {
      // Small frames of a server: two bytes of head, then the payload.
      bytes = Buffer.concat([bytes, chunk]);
      const head = bytes.indexOf('\r\n\r\n');
      if (bytes[0] === 0x48 && head !== -1) bytes = bytes.subarray(head + 4);
      while (bytes[0] !== 0x48 && bytes.length >= 2 && bytes.length >= 2 + (bytes[1]! & 0x7f)) {
        const length = bytes[1]! & 0x7f;
        if (bytes[0] === 0x88) resolve(bytes.readUInt16BE(2));
        bytes = bytes.subarray(2 + length);
      }
    });
    tcp.once('close', () => resolve(null));
  });
  await once(tcp, 'ready');
  atEnd(() => void tcp.destroy());
  const drained = async (data: Buffer): Promise<void> => {
    if (!tcp.destroyed) await Promise.race([new Promise((resolve) => tcp.write(data, resolve)), closeCode]);
  };
  return { tcp, closeCode, write: drained };
}

const opcodes = { more: 0, text: 1, ping: 9, pong: 10 };

/** A frame of a client whose mask changes nothing. */
function frame(kind: keyof typeof opcodes, payload: Buffer, { last = true } = {}): Buffer {
  const long = payload.length > 125;
  const head = Buffer.alloc(long ? 8 : 6);
  head[0] = (last ? 0x80 : 0) | opcodes[kind];
  head[1] = 0x80 | (long ? 126 : payload.length);
  if (long) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const one = Buffer.from('x');
const fragment = (first: boolean): Buffer => frame(first ? 'text' : 'more', one, { last: false });
const pongs = Buffer.concat(Array.from({ length: 500 }, () => frame('pong', Buffer.alloc(125))));

test('one-byte fragments with pongs between them close the socket with 1008 before they hold 8 MB', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const clients = await Promise.all([rawClient(), rawClient(), rawClient()]);
  let most = 0;
  await Promise.all(
    clients.map(async ({ tcp, write }) => {
      for (let n = 0; n < 500 && !tcp.destroyed; n += 1) {
        await write(fragment(n === 0));
        await write(pongs);
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      }
    }),
  );
  expect(await Promise.all(clients.map(({ closeCode }) => closeCode))).toEqual([1008, 1008, 1008]);
  expect(most).toBeLessThan(8 * 1024 * 1024);
});

test.each([
  ['a message in more than 64 fragments', Array.from({ length: 65 }, (_, n) => fragment(n === 0))],
  [
    'a message in empty fragments',
    [fragment(true), ...Array.from({ length: 64 }, () => frame('more', Buffer.alloc(0), { last: false }))],
  ],
  ['more than 100 pongs between two checks', Array.from({ length: 101 }, () => frame('pong', one))],
  [
    'more than 100 pings and pongs between two checks',
    Array.from({ length: 51 }, () => Buffer.concat([frame('ping', one), frame('pong', one)])),
  ],
])('%s closes the socket with 1008', async (_what, frames) => {
  const { write, closeCode } = await rawClient();
  await write(Buffer.concat(frames));
  expect(await closeCode).toBe(1008);
});

test('a frame that comes byte by byte in more than 1,024 pieces closes the socket with 1008', async () => {
  const { tcp, closeCode } = await rawClient();
  tcp.setNoDelay(true);
  const begin = frame('text', Buffer.alloc(60_000, 'x'));
  tcp.write(begin.subarray(0, 8));
  let code: number | null | undefined;
  void closeCode.then((found) => (code = found));
  for (let n = 0; n < 60_000 && code === undefined; n += 1)
    await new Promise<void>((resolve) => tcp.write(one, () => setImmediate(resolve)));
  expect(code).toBe(1008);
});

test('a message arrives whole in any fragments and with pings between them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 2_000 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.nat(40),
      async (text, cuts, pings) => {
        const { tcp, write } = await rawClient();
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const frames = at
          .slice(1)
          .map((end, n) => frame(n === 0 ? 'text' : 'more', bytes.subarray(at[n], end), { last: n === at.length - 2 }));
        arrived.length = 0;
        await write(Buffer.concat(frames.flatMap((each, n) => (n < pings ? [frame('ping', one), each] : [each]))));
        await expect.poll(() => arrived, { timeout: 20_000, interval: 1 }).toEqual([text]);
        tcp.destroy();
      },
    ),
    { numRuns: 50 },
  );
});

test('a socket with 70 messages in work reads no more, stays open, and answers all later', async () => {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const held = await serve(() => ((begun += 1), new Promise((resolve) => waiting.push(resolve))), { pingMs: 500 });
  const { tcp, closeCode, write } = await rawClient(held);
  // More than TCP's own buffers and one read hold.
  const large = frame('text', Buffer.alloc(60_000, 'x'));
  const alive = frame('pong', one);
  for (let n = 0; n < 70; n += 1) await write(n % 10 === 0 ? Buffer.concat([alive, large]) : large);
  await expect.poll(() => begun, { timeout: 20_000 }).toBe(70);
  for (let n = 0; n < 300; n += 1) tcp.write(n % 10 === 0 ? Buffer.concat([alive, large]) : large);
  // The second check would end a client that answers no ping.
  const since = performance.now();
  await expect.poll(() => performance.now() - since, { timeout: 20_000 }).toBeGreaterThan(1_600);
  expect(begun).toBeLessThan(80);
  await expect
    .poll(
      () => {
        for (const resolve of waiting.splice(0)) resolve();
        return begun;
      },
      { timeout: 20_000, interval: 1 },
    )
    .toBe(370);
  tcp.destroy();
  expect(await closeCode).toBeNull();
});

test('a client that answers no ping is disconnected, and one that answers is not', async () => {
  const hasty = await serve(async () => undefined, { pingMs: 100 });
  const [silent, answering] = await Promise.all([rawClient(hasty), rawClient(hasty)]);
  answering.tcp.on('data', () => void answering.write(frame('pong', one)));
  expect(await silent.closeCode).toBeNull();
  expect(answering.tcp.destroyed).toBe(false);
});
