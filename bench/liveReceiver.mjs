// Receives on many sockets in its own process over plain TCP: a WebSocket client would cost more than the measured server.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

const now = () => performance.timeOrigin + performance.now();
let sockets = [];
let task = null;
let closing = false;

process.on('message', async ({ open, receive, close }) => {
  if (open) {
    sockets = await Promise.all(Array.from({ length: open.count }, (_, n) => openSocket(open, n)));
    process.send({ opened: sockets.length });
  }
  if (receive) {
    task = { ...receive, left: receive.frames * sockets.length, first: 0, bytes: 0, delays: [] };
    for (const socket of sockets) socket.count = 0;
    process.send({ waiting: true });
  }
  if (close) {
    closing = true;
    for (const { tcp } of sockets) tcp.destroy();
    sockets = [];
    process.send({ closed: true });
  }
});

/** Sends its messages, each after the answer to the one before; resolves with the last answer. */
function openSocket({ port, messages, variables }, n) {
  return new Promise((resolve, reject) => {
    const socket = { tcp: connect(port, '127.0.0.1'), count: 0, rest: Buffer.alloc(0), open: false };
    const texts = messages.map((message) =>
      JSON.stringify(message)
        .replace('"$variables"', JSON.stringify(variables?.[n] ?? {}))
        .replace('$id', randomUUID()),
    );
    socket.say = () => {
      const text = texts.shift();
      if (text !== undefined) return socket.tcp.write(frame(text));
      socket.say = null;
      resolve(socket);
    };
    socket.tcp.setNoDelay();
    socket.tcp.write(
      'GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    socket.tcp.on('close', () => {
      if (!closing) throw new Error(`the server closed a socket: ${socket.rest.toString('latin1')}`);
    });
    socket.tcp.on('error', reject);
    socket.tcp.on('data', (chunk) => {
      if (socket.open) return take(socket, chunk);
      socket.rest = Buffer.concat([socket.rest, chunk]);
      const end = socket.rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!socket.rest.toString('latin1', 0, 12).endsWith('101'))
        return reject(new Error(socket.rest.toString('latin1')));
      const head = socket.rest.subarray(end + 4);
      socket.rest = Buffer.alloc(0);
      socket.open = true;
      socket.say();
      if (head.length > 0) take(socket, head);
    });
  });
}

/** A client's frame must be masked; a mask of zeros leaves the bytes unchanged. */
function frame(text) {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, 0x80 | body.length])
      : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), body]);
}

function take(socket, chunk) {
  let bytes = socket.rest.length === 0 ? chunk : Buffer.concat([socket.rest, chunk]);
  for (;;) {
    if (bytes.length < 2 || (bytes[1] > 125 && bytes.length < 4)) break;
    const short = bytes[1];
    const [start, length] = short < 126 ? [2, short] : [4, bytes.readUInt16BE(2)];
    if (bytes.length < start + length) break;
    if (bytes[0] === 0x81) message(socket, bytes, start, start + length);
    // Answers a ping.
    else if (bytes[0] === 0x89) socket.tcp.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
    else
      throw new Error(
        `the server sent a frame that starts with ${bytes[0]}: ${bytes.toString('latin1', start, start + length)}`,
      );
    bytes = bytes.subarray(start + length);
  }
  socket.rest = bytes;
}

function message(socket, bytes, start, end) {
  if (socket.say !== null) {
    const text = bytes.toString('utf8', start, end);
    if (text.includes('"errors"')) throw new Error(text);
    return socket.say();
  }
  if (task === null || bytes.subarray(start, end).includes('HEARTBEAT')) return;
  if (task.first === 0) task.first = now();
  if (task.from !== undefined) task.delays.push(now() - (task.from + socket.count * task.every));
  socket.count += 1;
  task.bytes += end - start;
  task.left -= 1;
  if (task.left > 0) return;
  process.send({ received: { ms: now() - task.first, bytes: task.bytes, delays: task.delays.sort((a, b) => a - b) } });
  task = null;
}
