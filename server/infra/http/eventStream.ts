import { setImmediate } from 'node:timers/promises';

/**
 * An answer of Server-Sent Events. `events.return()` may be called at any time, also while `next()` waits. It is not a
 * `ReadableStream`: what a stream's controller throws after its reader left has no caller, and would end the process.
 */
export class EventStream extends Response {
  constructor(
    readonly events: AsyncIterableIterator<Uint8Array>,
    init: ResponseInit = {},
  ) {
    super(null, init);
    this.headers.set('content-type', 'text/event-stream');
    this.headers.set('cache-control', 'no-cache, no-transform');
  }
}

const encoder = new TextEncoder();
const longText = 500_000;

/** The events of a source of texts. `next` returns null at the end; `end` releases the source and is repeatable. */
export function eventsOf(next: () => Promise<string | null>, end: () => Promise<unknown>): EventStream['events'] {
  let over = false;
  const finish = async () => {
    over = true;
    await end();
    return { done: true, value: undefined } as const;
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const text = over ? null : await next();
      if (text === null) return finish();
      // Making the text took a turn of the event loop; making bytes of it takes another.
      if (text.length > longText) await setImmediate();
      return { done: false, value: encoder.encode(text) };
    },
    return: finish,
  };
}
