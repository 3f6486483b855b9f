import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A free port of this machine, below those that the system gives to clients: nobody takes it while its owner is killed
 * and not yet back. The one 10,000 above, which a Redis cluster talks on, is free too.
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
