import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A free port below the range of client ports: no process takes it while its owner is restarting. The port 10,000 above, for
 * a Redis cluster's bus, is free too.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 22_000);
    if ((await isFree(port)) && (await isFree(port + 10_000))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
