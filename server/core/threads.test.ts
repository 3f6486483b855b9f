import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from './errors.ts';
import { ThreadFault, Threads, type ThreadLimits } from './threads.ts';

const limits: ThreadLimits = { memoryMb: 32, processorMs: 200, answerWithin: 60_000 };
const threadsWith = (changed: Partial<ThreadLimits> = {}) =>
  new Threads('../../test/threadWorker.mjs', import.meta.url, { ...limits, ...changed });

describe.runIf(existsSync('/proc/thread-self'))('a worker thread', () => {
  test('answers one message after the other, and its next caller', async () => {
    const threads = threadsWith();
    for (const caller of ['first', 'second']) {
      const thread = threads.take();
      for (let n = 0; n < 3; n += 1) expect(await thread.ask({ caller, n })).toEqual({ caller, n });
      threads.release(thread);
    }
  });

  test('is one that waits for work, unless there is none', async () => {
    const threads = threadsWith();
    const [one, other] = [threads.take(), threads.take()];
    expect(other).not.toBe(one);
    expect(await other.ask('said')).toBe('said');
    threads.release(other);
    expect(threads.take()).toBe(other);
    expect(threads.take({ fresh: true }).isFresh).toBe(true);
  });

  test.each([
    ['processor time', 'spin', {}, new ThreadFault('time')],
    ['memory', 'fill', { processorMs: 60_000 }, new ThreadFault('memory')],
    ['the wait for an answer', 'hang', { answerWithin: 100 }, new UnavailableError('busy')],
    ['nothing, when its work throws', 'throw', {}, new Error('thrown in a thread')],
  ])('ends at its limit of %s, and the next caller gets another', async (_what, asked, changed, error) => {
    const threads = threadsWith(changed);
    const thread = threads.take();
    await expect(thread.ask(asked)).rejects.toThrow(error);
    await expect(thread.ask('said')).rejects.toThrow(UnavailableError);
    threads.release(thread);
    const next = threads.take();
    expect(next).not.toBe(thread);
    expect(await next.ask('said')).toBe('said');
  });

  test('counts the processor time of each caller anew', async () => {
    const threads = threadsWith({ processorMs: 60_000 });
    const thread = threads.take();
    expect(await thread.ask('said')).toBe('said');
    threads.release(thread);
    expect(threads.take().usedMs()).toBeLessThan(50);
  });
});
