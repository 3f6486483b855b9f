import pg from 'pg';

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** PostgreSQL has no connection left, for anybody or for this role or database. */
export const isOutOfConnections = (error: unknown): error is Error => error instanceof Error && Reflect.get(error, 'code') === '53300';

/** How long until one more is tried after a refusal: sooner by a process that has hardly any. */
const growMs = { few: 50, some: 250 };
/** How often a connection is given up for each that there is: with ten of them one every two seconds. */
const lendMs = 20_000;
/** So many are never given up. */
const kept = 2;
const lookMs = 500;

export interface SharedPoolConfig extends pg.PoolConfig {
  max: number;
  connectionTimeoutMillis: number;
  Client: typeof pg.Client;
}

/**
 * A pool for one of several processes that may together want more connections than PostgreSQL has. Where it is refused
 * one, it makes do with those that it has and tries to have one more from time to time; only a caller who has waited
 * for its whole turn is refused. A busy pool gives up a connection from time to time, which whoever has fewer may take.
 */
export class SharedPool extends pg.Pool {
  readonly #most: number;
  readonly #turnMs: number;
  #growing: NodeJS.Timeout | undefined;
  readonly #lending: NodeJS.Timeout;
  #lendAfter = lendMs;

  constructor(config: SharedPoolConfig) {
    let refused = (): void => undefined;
    // Before the pool hears of it: that would at once try the next connection for the next caller.
    super({ ...config, Client: watchingClient(config.Client, () => refused()) });
    refused = () => this.#makeDo(this.totalCount - 1);
    this.#most = config.max;
    this.#turnMs = config.connectionTimeoutMillis;
    this.#lending = setInterval(() => this.#look(), lookMs).unref();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback !== undefined) return this.#take(callback, performance.now() + this.#turnMs);
    return new Promise((resolve, reject) => {
      this.connect((error, client) => (client === undefined ? reject(error ?? new Error('No connection')) : resolve(client)));
    });
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | void {
    clearTimeout(this.#growing);
    clearInterval(this.#lending);
    return callback === undefined ? super.end() : super.end(callback);
  }

  #take(callback: Callback, until: number): void {
    super.connect((error, client, done) => {
      const left = until - performance.now();
      if (!isOutOfConnections(error) || this.ending || left <= 0) callback(error, client, done);
      else this.#takeWithin(left, error, callback, until);
    });
  }

  /** The pool would give each try a whole turn. */
  #takeWithin(left: number, error: Error, callback: Callback, until: number): void {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      callback(error, undefined, () => undefined);
    }, left);
    this.#take((again, client, done) => {
      // A pool that gives up waiting gives no `done`.
      if (isLate) return client === undefined ? undefined : done();
      clearTimeout(late);
      callback(again, client, done);
    }, until);
  }

  #makeDo(connections: number): void {
    this.options.max = Math.max(0, Math.min(connections, this.#most));
    if (this.#growing !== undefined || this.ending) return;
    this.#growing = setTimeout(() => this.#grow(), this.options.max <= 1 ? growMs.few : growMs.some);
  }

  #grow(): void {
    this.#growing = undefined;
    const allowed = Math.min(this.#most, this.options.max + 1);
    if (allowed < this.#most) this.#makeDo(allowed);
    else this.options.max = allowed;
    // Released at once, and so given to whoever waits. Refused, it was heard of above.
    if (this.waitingCount > 0 && this.totalCount < allowed) super.connect((_error, client, done) => void (client !== undefined && done()));
  }

  /** Its place stays empty for a moment: a process that waits for one looks as often. */
  #look(): void {
    this.#lendAfter -= lookMs * this.totalCount;
    if (this.#lendAfter > 0) return;
    this.#lendAfter = lendMs;
    if (this.totalCount <= kept) return;
    super.connect((_error, client, done) => {
      if (client === undefined) return;
      this.#makeDo(this.totalCount - 1);
      done(true);
    });
  }
}

function watchingClient(Client: typeof pg.Client, onRefused: () => void): typeof pg.Client {
  type Connect = (this: pg.Client, callback?: (error?: Error) => void) => unknown;
  const Watching = class extends Client {};
  const connect = Client.prototype.connect as Connect;
  const watching: Connect = function (callback) {
    const heard = (error?: Error): void => {
      if (isOutOfConnections(error)) onRefused();
      callback?.(error);
    };
    return connect.call(this, callback && heard);
  };
  Watching.prototype.connect = watching as typeof Client.prototype.connect;
  return Watching;
}
