import type { Client, Exchange, Operation, OperationResult } from 'urql';
import { map, pipe, tap } from 'wonka';
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

/** The number of queries whose last data is kept. */
const keptResults = 100;

/**
 * Tracks the page's queries. A query that fails keeps the data that it had, beside its error. `retryFailed` reads those that
 * failed again, and `reread` all, when events may have been missed.
 */
export function createRereading(): { exchange: Exchange; reread: () => void; retryFailed: () => void } {
  const shown = new Map<number, Operation>();
  const failed = new Set<number>();
  const last = new Map<number, unknown>();
  let client: Client | undefined;

  const note = (result: OperationResult): OperationResult => {
    const { operation, error } = result;
    if (operation.kind !== 'query') return result;
    const { key } = operation;
    if (error) failed.add(key);
    else if (!result.stale) failed.delete(key);
    if (error && result.data == null) return last.has(key) ? { ...result, data: last.get(key) } : result;
    last.delete(key);
    last.set(key, result.data);
    if (last.size > keptResults) last.delete(last.keys().next().value!);
    return result;
  };
  const read = (operations: readonly Operation[]): void => {
    for (const operation of operations) {
      client?.reexecuteOperation(
        client.createRequestOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }),
      );
    }
  };
  return {
    exchange: (input) => {
      client = input.client;
      return (operations) =>
        pipe(
          operations,
          tap((operation) => {
            if (operation.kind === 'query') shown.set(operation.key, operation);
            else if (operation.kind === 'teardown') {
              shown.delete(operation.key);
              failed.delete(operation.key);
            }
          }),
          input.forward,
          map(note),
        );
    },
    reread: () => read([...shown.values()]),
    retryFailed: () => read([...shown.values()].filter(({ key }) => failed.has(key))),
  };
}
