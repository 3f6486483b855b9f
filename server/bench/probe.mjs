// Loaded before a server that is measured: answers how many bytes the process holds after a garbage collection.
import { createServer } from 'node:http';

createServer((_request, response) => {
  globalThis.gc();
  response.end(String(process.memoryUsage().rss));
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
