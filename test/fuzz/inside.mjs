import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

// For `node --import`: on SIGUSR2 prints what the process holds, and the processor time of the main thread in the longest
// turn of its event loop since the last SIGUSR2. A turn is measured with the short ones around it, up to 2 ms.
if (isMainThread) {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc');
  const spentMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
  let longest = 0;
  let before = spentMs();
  const look = () => {
    const now = spentMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, 2).unref();
  const count = (name) => process.getActiveResourcesInfo().filter((one) => one === name).length;
  process.on('SIGUSR2', () => {
    look();
    const longestTurnMs = longest;
    collect();
    const inside = {
      longestTurnMs,
      heapMb: process.memoryUsage().heapUsed / 1_048_576,
      sockets: count('TCPSocketWrap') + count('TLSWrap') + count('PipeWrap'),
      timers: count('Timeout'),
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    };
    process.stdout.write(`${JSON.stringify({ inside })}\n`);
    before = spentMs();
    longest = 0;
  });
}
