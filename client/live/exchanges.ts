import type { Client, Exchange, Operation } from 'urql';
import { pipe, tap } from 'wonka';
import type { Live } from './live.ts';

/**
 * A result read before an event may arrive after it and would put the old state over the new one. After such a result, the
 * events received during the request are written to the cache again. They carry the state at their delivery, and every later
 * change has its own event, so the cache ends with the newest state.
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
        // After the cache has written this result.
        queueMicrotask(() => {
          if (!live.replay(from)) reread();
        });
      }),
    );
  };

/** Tracks the page's queries, to read them again when events may have been missed. */
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
