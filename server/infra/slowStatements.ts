import pg from 'pg';
import type { Log } from './log.ts';

type Query = (...args: unknown[]) => unknown;
type Callback = (...args: unknown[]) => unknown;

/** From here on a statement is slow enough for an operator to hear of it. */
export const slowMs = 500;

/**
 * A client of PostgreSQL that logs each statement which took long, waiting for locks included: its name where it has
 * one, and its text without any value.
 */
export function watchedClient(log: Log, Client: typeof pg.Client = pg.Client): typeof pg.Client {
  const Watched = class extends Client {};
  const query = Client.prototype.query as Query;
  const watched: Query = function (this: pg.Client, ...args) {
    const started = performance.now();
    const ended = (): void => {
      const ms = performance.now() - started;
      if (ms >= slowMs) log.warn({ ...describe(args[0]), duration_ms: Math.round(ms) }, 'slow_statement');
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

/** Values are sent apart from the text; the few literals in it are taken out. */
function describe(asked: unknown): { statement: string; name?: string } {
  const { text = '', name } = (typeof asked === 'string' ? { text: asked } : asked) as { text?: string; name?: string };
  const shape = text.replaceAll(/'(?:[^']|'')*'/g, '?').replaceAll(/\$\$.*?\$\$/gs, '?').replaceAll(/\s+/g, ' ').trim();
  return { statement: shape.length > 300 ? `${shape.slice(0, 299)}…` : shape, ...(name !== undefined && name !== '' && { name }) };
}
