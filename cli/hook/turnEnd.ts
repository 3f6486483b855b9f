import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Claude Code 2.1 writes the last lines of a turn, and that of a call, after the hooks of their events have begun (seen without load). */
const waitMs = 30_000;
/** A call waits meanwhile. */
const callWaitMs = 2_000;
const pauseMs = 50;
const tailBytes = 1024 * 1024;

/** The end of the turn's last message, as it is written in a line of JSON. */
export const endingOf = (message: string): string | null =>
  JSON.stringify(message.trim()).slice(1, -1).slice(-100) || null;

/** The end of the line that ends the turn, which began after `from`; null when it was not written: the turn is then sent again later. */
export const endOfTurn = (path: string, from: number, ending: string): Promise<number | null> =>
  endOfLine(path, from, ending, waitMs);

/** Resolves when the line of this call is written, or after some time without it. @throws when `signal` aborts first */
export async function callIsWritten(path: string, callId: string, signal?: AbortSignal): Promise<void> {
  await endOfLine(path, 0, JSON.stringify(callId), callWaitMs, signal);
}

/** The end of the last line with this text. */
async function endOfLine(
  path: string,
  from: number,
  ending: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<number | null> {
  const until = performance.now() + waitMs;
  for (let seen = -1; performance.now() < until; await wait(pauseMs, undefined, { signal })) {
    const fd = openSync(path, 'r');
    try {
      const { size } = fstatSync(fd);
      if (size === seen) continue;
      seen = size;
      const start = Math.max(from, size - tailBytes);
      const bytes = Buffer.alloc(Math.max(0, size - start));
      const tail = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
      const at = tail.lastIndexOf(ending);
      const end = at < 0 ? -1 : tail.indexOf('\n', at);
      if (end >= 0) return start + end + 1;
    } finally {
      closeSync(fd);
    }
  }
  return null;
}
