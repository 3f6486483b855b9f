// Preloaded into measured servers: reports processor seconds, and memory after garbage collection.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

createServer(async ({ url }, response) => {
  if (url === '/bytes') {
    // Memory freed by one collection is returned by a later one.
    for (let n = 0; n < 3; n += 1) {
      globalThis.gc();
      await wait(200);
    }
    return response.end(String(process.memoryUsage().rss));
  }
  const { user, system } = process.cpuUsage();
  response.end(String((user + system) / 1e6));
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
