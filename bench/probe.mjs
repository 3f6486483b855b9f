// Loaded before a server that is measured: says how many seconds of a processor it has used, and how many bytes it holds
// once its garbage is collected.
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

createServer(async ({ url }, response) => {
  if (url === '/bytes') {
    // What a first collection frees is given back by a later one.
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
