import pg from 'pg';

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** Whether PostgreSQL has no free connection, in all or for this role or database. */
export const isOutOfConnections = (error: unknown): error is Error =>
  error instanceof Error && Reflect.get(error, 'code') === '53300';

/** Whether opening a connection took too long. */
const isLate = (error: unknown): error is Error =>
  error instanceof Error && /^(timeout expired|Connection terminated due to connection timeout)/.test(error.message);

/** Delay before the pool tries another connection after a refusal; shorter with at most one connection. */
const growMs = { few: 50, some: 250 };
/** A pool closes one connection per `lendMs` and open connection: with ten, one every two seconds. */
const lendMs = 20_000;
/**
 * How long a request whose connection a busy process could not open in time waits for another of the pool. Less than the bound
 * of an answer while PostgreSQL is frozen.
 */
const lateMs = 4_000;
/** How long the slot of a closed connection stays free. On a slow machine a refused attempt of another process takes 300 ms. */
const freeMs = 750;
/** Connections that are never closed for other processes. */
const keptConnections = 2;
const lookMs = 500;

export interface SharedPoolConfig extends pg.PoolConfig {
  max: number;
  connectionTimeoutMillis: number;
  Client: typeof pg.Client;
}

/**
 * A pool for processes that together may need more connections than PostgreSQL has. When PostgreSQL refuses a connection, the
 * pool shrinks to those that it has and retries periodically; a caller is refused only after `connectionTimeoutMillis`. A
 * pool closes a connection periodically, so that processes with fewer can open one.
 */
export class SharedPool extends pg.Pool {
  readonly #max: number;
  readonly #turnMs: number;
  #growing: NodeJS.Timeout | undefined;
  readonly #lending: NodeJS.Timeout;
  #lendAfter = lendMs;
  #opening = 0;

  constructor(config: SharedPoolConfig) {
    let refused = (): void => undefined;
    // Must run before the pool handles the refusal: it would at once open a connection for the next caller.
    super({ ...config, Client: watchingClient(config.Client, () => refused()) });
    refused = () => this.#makeDo(this.totalCount - 1);
    this.#max = config.max;
    this.#turnMs = config.connectionTimeoutMillis;
    this.#lending = setInterval(() => this.#look(), lookMs).unref();
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (callback !== undefined) return this.#take(callback, performance.now() + this.#turnMs);
    return new Promise((resolve, reject) => {
      this.connect((error, client) =>
        client === undefined ? reject(error ?? new Error('No connection')) : resolve(client),
      );
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
    this.#enter((error, client, done) => {
      // Others of the pool become free while a busy process fails to open a connection.
      const mayWaitUntil = isOutOfConnections(error)
        ? until
        : isLate(error) && this.totalCount > 0
          ? until - this.#turnMs + lateMs
          : 0;
      const left = mayWaitUntil - performance.now();
      if (error === undefined || this.ending || left <= 0) callback(error, client, done);
      else this.#takeWithin(left, error, callback, until);
    });
  }

  /**
   * The pool gives a connection that it opens to the request that it was opened for, also when another is free first. Here it goes
   * to the first that waits: on a busy machine opening one takes a second, and a statement a few milliseconds.
   */
  #enter(callback: Callback): void {
    const { max = 0 } = this.options;
    if (this.idleCount > 0 || this.totalCount === this.#opening || this.totalCount >= max)
      return super.connect(callback);
    if (this.#opening <= this.waitingCount) {
      this.#opening += 1;
      super.connect((_error, client, done) => {
        this.#opening -= 1;
        if (client !== undefined) done();
      });
    }
    // A full pool lets it wait.
    this.options.max = this.totalCount;
    super.connect(callback);
    this.options.max = max;
  }

  /** Retries until the caller's deadline: the pool would give each retry the full timeout. */
  #takeWithin(left: number, error: Error, callback: Callback, until: number): void {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      callback(error, undefined, () => undefined);
    }, left);
    this.#take((again, client, done) => {
      // The pool passes no `done` when its wait times out.
      if (isLate) return client === undefined ? undefined : done();
      clearTimeout(late);
      callback(again, client, done);
    }, until);
  }

  #makeDo(connections: number): void {
    this.options.max = Math.max(0, Math.min(connections, this.#max));
    if (this.#growing === undefined) this.#growAfter(this.options.max <= 1 ? growMs.few : growMs.some);
  }

  #growAfter(ms: number): void {
    clearTimeout(this.#growing);
    if (!this.ending) this.#growing = setTimeout(() => this.#grow(), ms);
  }

  #grow(): void {
    this.#growing = undefined;
    const allowed = Math.min(this.#max, this.options.max + 1);
    if (allowed < this.#max) this.#makeDo(allowed);
    else this.options.max = allowed;
    // Opens a connection for a waiting caller. `watchingClient` handles a refusal.
    if (this.waitingCount > 0 && this.totalCount < allowed)
      super.connect((_error, client, done) => void (client !== undefined && done()));
  }

  /** Closes a connection when it is time. Its slot stays free for a moment, so that another process can take it. */
  #look(): void {
    this.#lendAfter -= lookMs * this.totalCount;
    if (this.#lendAfter > 0) return;
    this.#lendAfter = lendMs;
    if (this.totalCount <= keptConnections) return;
    super.connect((_error, client, done) => {
      if (client === undefined) return;
      this.#makeDo(this.totalCount - 1);
      this.#growAfter(freeMs);
      done(true);
    });
  }
}

function watchingClient(Client: typeof pg.Client, onRefused: () => void): typeof pg.Client {
  type Connect = (this: pg.Client, callback?: (error?: Error) => void) => unknown;
  const Watching = class extends Client {};
  const connect = Client.prototype.connect as Connect;
  const watching: Connect = function (callback) {
    const connected = (error?: Error): void => {
      if (isOutOfConnections(error)) onRefused();
      callback?.(error);
    };
    return connect.call(this, callback && connected);
  };
  Watching.prototype.connect = watching as typeof Client.prototype.connect;
  return Watching;
}
