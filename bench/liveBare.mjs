// The baseline for live streams: a bare `ws` server that sends prepared texts to all sockets on a message from Redis.
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { WebSocketServer } from 'ws';

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => socket.on('message', () => socket.send('{"type":"connection_ack"}')));
const redis = new Redis(process.env.REDIS_URL);
await redis.subscribe('bare');
redis.on('message', (_channel, text) => {
  const message = Buffer.from(text);
  for (const client of sockets.clients) client.send(message, { binary: false });
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`),
);
