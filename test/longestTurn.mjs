import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// For `node --import`: prints the processor time of the main thread in the longest turn of the event loop since the last SIGUSR2.
const spentMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6;
let longest = 0;
let before = spentMs();
const look = () => {
  const now = spentMs();
  longest = Math.max(longest, now - before);
  before = now;
};
if (isMainThread) {
  // A timer runs once in each turn, and lets the loop sleep: a chain of setImmediate would take a core for itself.
  setInterval(look, 1).unref();
  process.on('SIGUSR2', () => {
    process.stdout.write(`longest turn: ${longest.toFixed(1)} ms\n`);
    longest = 0;
  });
}
