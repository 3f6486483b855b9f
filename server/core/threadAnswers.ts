import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';

/** In a worker thread: answers the messages of its `Thread`, one at a time. An error that `answer` throws ends the thread. */
export function answerMessages<Asked>(answer: (asked: Asked) => unknown): void {
  const port = parentPort!;
  port.on('message', (asked: Asked) => void (async () => port.postMessage(await answer(asked)))());
  port.postMessage({ thread: threadNumber() });
}

/** By which Linux counts its processor time; null elsewhere. */
function threadNumber(): string | null {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? null;
  } catch {
    return null;
  }
}
