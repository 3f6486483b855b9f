import { parentPort } from 'node:worker_threads';
import { readlinkSync } from 'node:fs';

// A worker for tests of `Threads`: it echoes, or does what exceeds a limit.
const kept = [];
parentPort.on('message', (asked) => {
  while (asked === 'spin');
  while (asked === 'fill') kept.push(new Array(100_000).fill(kept.length));
  if (asked === 'throw') throw new Error('thrown in a thread');
  if (asked !== 'hang') parentPort.postMessage(asked);
});
parentPort.postMessage({ thread: readlinkSync('/proc/thread-self').split('/').at(-1) });
