// Loaded before a server that is measured: says how many bytes the process holds after a garbage collection, and how
// many seconds of a processor it has used.
import { createServer } from 'node:http';

createServer((_request, response) => {
  globalThis.gc();
  const { user, system } = process.cpuUsage();
  response.end(JSON.stringify({ bytes: process.memoryUsage().rss, seconds: (user + system) / 1e6 }));
})
  .listen(Number(process.env.PROBE_PORT), '127.0.0.1')
  .unref();
