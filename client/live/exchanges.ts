import type { Client, Exchange, Operation } from 'urql';
import { pipe, tap } from 'wonka';
import type { Live } from './live.ts';

/**
 * An answer may have been read before an event that came while it was under way: it would put the old state over the
 * new one. The events of that time are then given to the cache again, after it. They carry the state of their
 * delivery, and whatever changed later has an event of its own, so the cache ends up with the newest of both.
 */
export const replayExchange =
  (live: Live, reread: () => void): Exchange =>
  ({ forward }) =>
  (operations) => {
    const began = new Map<number, number>();
    return pipe(
      operations,
      tap(({ kind, key }) => {
        if (kind === 'teardown') began.delete(key);
        else if (kind !== 'subscription') began.set(key, live.count());
      }),
      forward,
      tap(({ operation }) => {
        const from = began.get(operation.key);
        began.delete(operation.key);
        if (from === undefined || from === live.count()) return;
        // In a moment: this answer goes to the cache first.
        queueMicrotask(() => {
          if (!live.replay(from)) reread();
        });
      }),
    );
  };

/** Knows what the page shows, to read it again when events may have been missed. */
export function createRereading(): { exchange: Exchange; reread: () => void } {
  const shown = new Map<number, Operation>();
  let client: Client | undefined;
  return {
    exchange: (input) => {
      client = input.client;
      return (operations) =>
        pipe(
          operations,
          tap((operation) => {
            if (operation.kind === 'query') shown.set(operation.key, operation);
            else if (operation.kind === 'teardown') shown.delete(operation.key);
          }),
          input.forward,
        );
    },
    reread() {
      for (const operation of [...shown.values()]) {
        client?.reexecuteOperation(client.createRequestOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));
      }
    },
  };
}
