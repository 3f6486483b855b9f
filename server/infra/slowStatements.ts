import pg from 'pg';
import type { Log } from './log.ts';

type Query = (...args: unknown[]) => unknown;
type Callback = (...args: unknown[]) => unknown;

export const slowMs = 500;
/** Where `core/runWork.ts` names the request whose command uses a client. */
const requestOfClient = Symbol.for('baton.request');

/**
 * A PostgreSQL client that reports how long each statement took, and logs statements of at least `slowMs`, including waits for locks: their name if any, and their text
 * without values.
 */
export function watchedClient(
  log: Log,
  Client: typeof pg.Client = pg.Client,
  took: (ms: number) => void = () => undefined,
): typeof pg.Client {
  const Watched = class extends Client {};
  const query = Client.prototype.query as Query;
  const watched: Query = function (this: pg.Client, ...args) {
    const started = performance.now();
    const requestId: unknown = Reflect.get(this, requestOfClient);
    const ended = (): void => {
      const ms = performance.now() - started;
      took(ms);
      if (ms >= slowMs) log.warn({ ...describe(args[0]), duration_ms: Math.round(ms), requestId }, 'slow_statement');
    };
    const last = args.length - 1;
    const callback = args[last];
    if (typeof callback === 'function') {
      args[last] = (...results: unknown[]) => {
        ended();
        return (callback as Callback)(...results);
      };
    }
    const result = query.apply(this, args);
    if (result instanceof Promise) result.then(ended, ended);
    return result;
  };
  Watched.prototype.query = watched as typeof Client.prototype.query;
  return Watched;
}

/** Removes the literals from the text. Parameters are not part of it. */
function describe(query: unknown): { statement: string; name?: string } {
  const { text = '', name } = (typeof query === 'string' ? { text: query } : query) as { text?: string; name?: string };
  const shape = text
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .replaceAll(/\$\$.*?\$\$/gs, '?')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return {
    statement: shape.length > 300 ? `${shape.slice(0, 299)}…` : shape,
    ...(name !== undefined && name !== '' && { name }),
  };
}
