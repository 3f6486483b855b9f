// What the live streams are compared with: nothing but `ws`, which sends texts that are ready-made to all who are connected.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.end();
  for (const text of JSON.parse(Buffer.concat(chunks).toString())) {
    const message = Buffer.from(text);
    for (const client of sockets.clients) client.send(message, { binary: false });
    // One at a time, as events come.
    await new Promise(setImmediate);
  }
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => socket.on('message', () => socket.send('{"type":"connection_ack"}')));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`));
