import type { Pool } from 'pg';
import { isDatabaseAway } from '../core/databaseErrors.ts';
import type { Doorbell, Hint } from './doorbell.ts';
import { UnavailableError } from '../core/errors.ts';
import { Places } from '../core/places.ts';
import type { Announcer, Caller, Logger } from '../core/work.ts';
import { cursorsOf, type Cursors } from '../events/cursors.ts';
import { Hub } from './hub.ts';
import { readHeads, readRows, type EventRow, type StreamKey } from './rows.ts';
import { createStamper, type Stamper } from './stamp.ts';
import { Stream, StreamEnded } from './stream.ts';

/** A cursor that does not lead back into this stream. */
export class CursorExpired extends Error {}

/** The caller has as many streams as one may have. */
export class TooManyStreams extends Error {
  constructor(readonly limit: number) {
    super(`More than ${limit} streams of one key: end others, then try again`);
  }
}

export interface StreamsOptions {
  pool: Pool;
  doorbell: Doorbell;
  log: Logger;
  /** Told when a caller's key has ended; returns how to stop. */
  watchKey?: (caller: Caller, onEnded: () => void) => () => void;
  /** At once, of one caller, over whatever transport. */
  mostOfCaller?: number;
  heartbeatMs?: number;
  /** How often the database is asked while hints of other processes do not arrive. */
  pollMs?: number;
  /** And how often while they do: for a hint that was lost, and for what a process that died left without a position. */
  safetyMs?: number;
  /** How long a position may wait while nobody listens here. */
  idleStampMs?: number;
}

export interface Opening {
  key: StreamKey;
  caller: Caller;
  after: string | null;
  /** Whether `accepts` goes by who can read an event: then what was missed is judged by who can now. */
  confined?: boolean;
  accepts(event: EventRow): boolean;
}

/** Two statements. */
const readAhead = 399;

interface Attaching extends Pick<Required<Opening>, 'caller' | 'confined' | 'accepts'> {
  from: number | null;
  leave: () => void;
}

/** The live streams of this process: a hub for each that somebody reads, woken by the doorbell, or by looking. */
export class Streams implements Announcer {
  readonly #hubs = new Map<string, { hub: Hub; key: StreamKey; users: number }>();
  readonly #open = new Set<Stream>();
  readonly #places: Places;
  readonly #stamper: Stamper;
  readonly #stopListening: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #poll: NodeJS.Timeout | null = null;
  #polling: Promise<void> = Promise.resolve();
  #lastPoll = performance.now();
  #stopped = false;
  #complained = false;

  constructor(private readonly options: StreamsOptions) {
    const { pool, log, doorbell, mostOfCaller = Infinity } = options;
    this.#places = new Places(mostOfCaller);
    this.#stamper = createStamper({
      pool,
      log,
      stamped: (number) => doorbell.ring([{ about: 'all', number }]),
    });
    this.#stopListening = doorbell.listen({
      heard: (hint) => this.#heard(hint),
      missed: () => void this.#lookEverywhere(),
    });
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs ?? 10_000).unref();
  }

  /** How many are open, for tests and metrics. */
  get size(): number {
    return this.#open.size;
  }

  announce(inboxes: readonly Hint[]): void {
    this.options.doorbell.ring(inboxes);
    const { doorbell, idleStampMs = 1_000 } = this.options;
    this.#stamper.request(this.#hubs.has('all') || doorbell.shared ? 0 : idleStampMs);
  }

  /** Resolves when everything that was committed before the call has its position. Rejects when the database fails. */
  positioned(): Promise<void> {
    return this.#stamper.now();
  }

  /**
   * @throws CursorExpired, TooManyStreams, UnavailableError, StreamEnded. What was committed before the call and is not
   * after the cursor is not in the stream; everything after it is.
   */
  async open({ key, caller, after, confined = false, accepts }: Opening): Promise<Stream> {
    if (this.#stopped) throw new StreamEnded('stopping');
    const leave = this.#places.take(caller);
    if (leave === null) throw new TooManyStreams(this.#places.most);
    try {
      const cursors = await cursorsOf(this.options.pool);
      const from = after === null ? null : numberIn(cursors, key, after);
      if (key.kind === 'all') await this.#stamper.now();
      const name = nameOf(key);
      const hub = await this.#use(name, key, cursors);
      try {
        await hub.read();
        if (from !== null && from > hub.head) throw new CursorExpired();
        const inMemory = from !== null && !confined && hub.after(from) !== null;
        if (from !== null && !inMemory && from < (await this.#oldest(key)) - 1) throw new CursorExpired();
        return this.#attach(hub, name, { caller, from, confined, accepts, leave });
      } catch (error) {
        this.#release(name);
        throw error;
      }
    } catch (error) {
      leave();
      throw isDatabaseAway(error) ? new UnavailableError('read') : error;
    }
  }

  /** Ends every stream, and what runs for them. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#poll ?? undefined);
    for (const stream of this.#open) stream.fail(new StreamEnded('stopping'));
    await this.#polling;
    await this.#stamper.stop();
  }

  #attach(hub: Hub, name: string, { caller, from, confined, accepts, leave }: Attaching): Stream {
    if (this.#stopped) throw new StreamEnded('stopping');
    const stream: Stream = new Stream({
      hub,
      from: from ?? hub.head,
      resumed: from !== null,
      ...(confined && { anewUpTo: hub.head }),
      accepts,
      failed: (error) => this.#failed(name, error),
      closed: () => {
        this.#open.delete(stream);
        stopWatching?.();
        leave();
        this.#release(name);
      },
    });
    this.#open.add(stream);
    const stopWatching = this.options.watchKey?.(caller, () => stream.fail(new StreamEnded('key')));
    this.#schedule();
    return stream;
  }

  /** Counted as used from the moment it is found or made, so that nobody else's leaving takes it away. */
  async #use(name: string, key: StreamKey, cursors: Cursors): Promise<Hub> {
    const head = this.#hubs.has(name) ? 0 : await this.#beginning(key);
    const place = this.#hubs.get(name) ?? { hub: this.#createHub(name, key, cursors, head), key, users: 0 };
    this.#hubs.set(name, place);
    place.users += 1;
    return place.hub;
  }

  /** The head of an inbox; of all, a place before it: after a restart many come back at once, and miss the same. */
  async #beginning(key: StreamKey): Promise<number> {
    const { inboxes, position, oldest } = await readHeads(this.options.pool, key.kind === 'inbox' ? [key.agentId] : []);
    return key.kind === 'inbox' ? (inboxes[key.agentId] ?? 0) : Math.max(position - readAhead, oldest - 1);
  }

  #createHub(name: string, key: StreamKey, cursors: Cursors, head: number): Hub {
    const options = {
      read: (after: number, limit: number) => readRows(this.options.pool, key, after, limit),
      cursor: (number: number) => cursors.encode(key.kind === 'all' ? { stream: 'all', number } : { stream: 'inbox', of: key.agentId, number }),
      inbox: key.kind === 'inbox',
      failed: (error: unknown) => this.#failed(name, error),
    };
    return new Hub(options, head);
  }

  #failed(stream: string, error: unknown): void {
    this.#complain({ err: error, stream }, 'a stream could not be read on; it is tried again and again');
  }

  #release(name: string): void {
    const place = this.#hubs.get(name);
    if (place === undefined) return;
    place.users -= 1;
    if (place.users === 0) this.#hubs.delete(name);
  }

  /** The first number that is kept. Inboxes are kept from the first on. */
  async #oldest(key: StreamKey): Promise<number> {
    return key.kind === 'inbox' ? 1 : (await readHeads(this.options.pool, [])).oldest;
  }

  #heard(hint: Hint): void {
    if (hint.about === 'all') this.#hubs.get('all')?.hub.hint(hint.number);
    if (hint.about === 'inbox') this.#hubs.get(nameOf({ kind: 'inbox', agentId: hint.agentId }))?.hub.hint(hint.number);
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
    for (const { hub } of this.#hubs.values()) hub.tick();
  }

  /** Only while somebody listens; the next look is planned when the one before it is done. */
  #schedule(): void {
    if (this.#stopped || this.#poll !== null) return;
    const { pollMs = 500 } = this.options;
    this.#poll = setTimeout(() => {
      this.#poll = null;
      if (this.#open.size === 0 || this.#stopped) return;
      const due = !this.options.doorbell.hears || performance.now() - this.#lastPoll >= (this.options.safetyMs ?? 2_000);
      this.#polling = (due ? this.#lookEverywhere() : Promise.resolve()).finally(() => this.#schedule());
    }, pollMs).unref();
  }

  /** One statement for all streams of this process says which have moved. */
  async #lookEverywhere(): Promise<void> {
    if (this.#stopped || this.#hubs.size === 0) return;
    this.#lastPoll = performance.now();
    try {
      const inboxes = [...this.#hubs.values()].flatMap(({ key }) => (key.kind === 'inbox' ? [key.agentId] : []));
      const heads = await readHeads(this.options.pool, inboxes);
      this.#heard({ about: 'all', number: heads.position });
      for (const [agentId, number] of Object.entries(heads.inboxes)) this.#heard({ about: 'inbox', agentId, number });
      if (heads.waiting && this.#hubs.has('all')) this.#stamper.request(0);
      this.#complained = false;
    } catch (error) {
      this.#complain({ err: error }, 'the database could not be asked for new events; it is asked again and again');
    }
  }

  /** Once, until the database answers again. */
  #complain(about: object, message: string): void {
    if (!this.#complained) this.options.log.warn(about, message);
    this.#complained = true;
  }
}

const nameOf = (key: StreamKey): string => (key.kind === 'all' ? 'all' : `inbox ${key.agentId}`);

function numberIn(cursors: Cursors, key: StreamKey, cursor: string): number {
  const place = cursors.decode(cursor);
  const fits = place?.stream === key.kind && (key.kind === 'all' || (place.stream === 'inbox' && place.of === key.agentId));
  if (!fits) throw new CursorExpired();
  return place.number;
}
