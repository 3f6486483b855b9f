import type { Pool } from 'pg';
import { statement } from '../core/changes.ts';
import { isDatabaseAway } from '../core/databaseErrors.ts';
import { UnavailableError } from '../core/errors.ts';
import { Places } from '../core/places.ts';
import type { Announcer, Caller, Logger } from '../core/work.ts';
import { cursorsOf, type Cursors } from '../events/cursors.ts';
import type { Doorbell } from './doorbell.ts';
import type { Hint } from '../core/work.ts';
import { type EventRow, Hub, readRows, type StreamKey } from './hub.ts';
import { Presence, type PresenceOptions } from './presence.ts';
import { createStamper, type Stamper } from './stamp.ts';
import { Stream, StreamEnded } from './stream.ts';

/** The cursor is invalid or too old for this stream. */
export class CursorExpired extends Error {}

export class TooManyStreams extends Error {
  constructor(readonly limit: number) {
    super(`More than ${limit} streams of one key: end others, then try again`);
  }
}

/** All in milliseconds. */
export interface Pace {
  heartbeatMs?: number | undefined;
  /** Polling interval while hints of other processes do not arrive. */
  pollMs?: number;
  /** Polling interval while they arrive: finds lost hints and events that a crashed process left without a position. */
  safetyMs?: number;
  /** The longest wait for a position without a local listener. */
  idleStampMs?: number;
  presence?: Pick<PresenceOptions, 'renewMs' | 'seenMs'>;
}

export interface StreamsOptions extends Pace {
  pool: Pool;
  doorbell: Doorbell;
  log: Logger;
  /** Calls back when a caller's key ends; returns a function that stops watching. */
  watchKey?: (caller: Caller, onEnded: () => void) => () => void;
  /** The limit of open streams per caller, over all transports. */
  limitOfCaller?: number;
}

export interface Opening {
  key: StreamKey;
  caller: Caller;
  after: string | null;
  /** Whether `accepts` depends on the event's readers: missed events are then read again with their current readers. */
  confined?: boolean;
  /** Whether it accepts events of Sessions that exist only: nothing that it missed can be pruned. */
  ofSessions?: boolean;
  accepts(event: EventRow): boolean;
}

interface Place {
  hub: Hub;
  key: StreamKey;
  users: number;
}

/** A new hub begins this far before the head, which takes two statements: after a restart many clients reconnect at once and miss the same events. */
const readAhead = 399;

/** The live streams of this process: one hub per stream with readers, driven by the doorbell and by polling. See README.md. */
export class Streams implements Announcer {
  readonly #places = new Map<string, Place>();
  readonly #open = new Set<Stream>();
  readonly #ofCaller: Places;
  readonly #stamper: Stamper;
  /** Which agents have streams here, and when they were last seen. */
  readonly presence: Presence;
  readonly #stopListening: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #poll: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #lastPoll = performance.now();
  #stopped = false;
  #logged = false;

  constructor(private readonly options: StreamsOptions) {
    const { pool, log, doorbell, limitOfCaller = Infinity, heartbeatMs = 10_000 } = options;
    this.#ofCaller = new Places(limitOfCaller);
    this.#stamper = createStamper({ pool, log, stamped: (number) => doorbell.ring([{ about: 'all', number }]) });
    this.presence = new Presence({ pool, log, ...options.presence });
    this.#stopListening = doorbell.listen({
      heard: (hint) => this.#onHint(hint),
      missed: () => void this.#lookEverywhere(),
    });
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** The number of open streams, for tests and metrics. */
  get size(): number {
    return this.#open.size;
  }

  /** Events that the slowest stream is behind. */
  get lag(): number {
    let lag = 0;
    for (const stream of this.#open) lag = Math.max(lag, stream.behind);
    return lag;
  }

  announce(inboxes: readonly Hint[]): void {
    const { doorbell, idleStampMs = 1_000 } = this.options;
    doorbell.ring(inboxes);
    this.#stamper.request(this.#places.has('all') || doorbell.shared ? 0 : idleStampMs);
  }

  /** Resolves when everything committed before the call has its position. Rejects when the database fails. */
  positioned(): Promise<void> {
    return this.#stamper.now();
  }

  /**
   * Delivers the events after the cursor, or those committed after this call.
   * @throws CursorExpired, TooManyStreams, UnavailableError, StreamEnded
   */
  async open(opening: Opening): Promise<Stream> {
    if (this.#stopped) throw new StreamEnded('stopping');
    const leave = this.#ofCaller.take(opening.caller);
    if (leave === null) throw new TooManyStreams(this.#ofCaller.limit);
    try {
      return await this.#begin(opening, leave);
    } catch (error) {
      leave();
      throw isDatabaseAway(error) ? new UnavailableError('read') : error;
    }
  }

  /** Ends all streams and timers. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopListening();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#poll);
    for (const stream of this.#open) stream.fail(new StreamEnded('stopping'));
    await this.#polling;
    await this.#stamper.stop();
    await this.presence.stop();
  }

  async #begin(
    { key, caller, after, confined = false, ofSessions = false, accepts }: Opening,
    leave: () => void,
  ): Promise<Stream> {
    const { pool, watchKey } = this.options;
    const cursors = await cursorsOf(pool);
    const from = after === null ? null : numberIn(cursors, key, after);
    if (key.kind === 'all') await this.#stamper.now();
    const name = nameOf(key);
    const hub = await this.#use(name, key, cursors);
    try {
      await hub.read();
      if (from !== null && from > hub.head) throw new CursorExpired();
      if (from !== null && from < hub.pruned && !ofSessions) throw new CursorExpired();
      if (this.#stopped) throw new StreamEnded('stopping');
    } catch (error) {
      this.#release(name);
      throw error;
    }
    const stream: Stream = new Stream({
      hub,
      from: from ?? hub.head,
      resumed: from !== null,
      prunable: !ofSessions,
      ...(confined && { rereadUpTo: hub.head }),
      accepts,
      failed: (error) => this.#failed(name, error),
      closed: () => {
        this.#open.delete(stream);
        stopWatching?.();
        disconnected();
        leave();
        this.#release(name);
      },
    });
    this.#open.add(stream);
    const disconnected = this.presence.connected(agentsOf(key, caller));
    const stopWatching = watchKey?.(caller, () => stream.fail(new StreamEnded('key')));
    this.#schedule();
    return stream;
  }

  /** Increments the users at once, so that another reader's leaving cannot remove the hub. */
  async #use(name: string, key: StreamKey, cursors: Cursors): Promise<Hub> {
    const given = this.#places.has(name) ? 0 : await this.#given(key);
    const place = this.#places.get(name) ?? { hub: this.#createHub(name, key, cursors, given), key, users: 0 };
    this.#places.set(name, place);
    place.users += 1;
    return place.hub;
  }

  /** The newest number that was given. */
  async #given(key: StreamKey): Promise<number> {
    const { inboxes, position } = await readHeads(this.options.pool, key.kind === 'inbox' ? [key.agentId] : []);
    return key.kind === 'inbox' ? (inboxes[key.agentId] ?? 0) : position;
  }

  #createHub(name: string, key: StreamKey, cursors: Cursors, given: number): Hub {
    const options = {
      read: (after: number, limit: number) => readRows(this.options.pool, key, after, limit),
      cursor: (number: number) =>
        cursors.encode(key.kind === 'all' ? { stream: 'all', number } : { stream: 'inbox', of: key.agentId, number }),
      inbox: key.kind === 'inbox',
      failed: (error: unknown) => this.#failed(name, error),
    };
    return new Hub(options, key.kind === 'inbox' ? given : Math.max(given - readAhead, 0), given);
  }

  #release(name: string): void {
    const place = this.#places.get(name);
    if (place === undefined) return;
    place.users -= 1;
    if (place.users === 0) this.#places.delete(name);
  }

  #onHint(hint: Hint): void {
    if (hint.about === 'all') this.#places.get('all')?.hub.hint(hint.number);
    if (hint.about === 'inbox')
      this.#places.get(nameOf({ kind: 'inbox', agentId: hint.agentId }))?.hub.hint(hint.number);
  }

  #beat(): void {
    for (const stream of this.#open) stream.beat();
    for (const { hub } of this.#places.values()) hub.tick();
  }

  /** Runs only while a stream is open. Each poll schedules the next. */
  #schedule(): void {
    if (this.#stopped || this.#poll !== undefined) return;
    const { pollMs = 500, safetyMs = 2_000, doorbell } = this.options;
    this.#poll = setTimeout(() => {
      this.#poll = undefined;
      if (this.#open.size === 0 || this.#stopped) return;
      const due = !doorbell.hears || performance.now() - this.#lastPoll >= safetyMs;
      this.#polling = (due ? this.#lookEverywhere() : Promise.resolve()).finally(() => this.#schedule());
    }, pollMs).unref();
  }

  /** Finds the streams that have moved, in one statement. */
  async #lookEverywhere(): Promise<void> {
    if (this.#stopped || this.#places.size === 0) return;
    this.#lastPoll = performance.now();
    try {
      const inboxes = [...this.#places.values()].flatMap(({ key }) => (key.kind === 'inbox' ? [key.agentId] : []));
      const heads = await readHeads(this.options.pool, inboxes);
      this.#onHint({ about: 'all', number: heads.position });
      for (const [agentId, number] of Object.entries(heads.inboxes)) this.#onHint({ about: 'inbox', agentId, number });
      if (heads.waiting && this.#places.has('all')) this.#stamper.request(0);
      this.#logged = false;
    } catch (error) {
      this.#logOnce({ err: error }, 'the database could not be asked for new events; it is asked again and again');
    }
  }

  #failed(stream: string, error: unknown): void {
    this.#logOnce({ err: error, stream }, 'a stream could not be read on; it is tried again and again');
  }

  /** Logs once until the database answers again. */
  #logOnce(about: object, message: string): void {
    if (!this.#logged) this.options.log.warn(about, message);
    this.#logged = true;
  }
}

interface Heads {
  /** The last given position; 0 before the first. */
  position: number;
  /** Whether events wait for a position. */
  waiting: boolean;
  /** The last number of each requested inbox, by agent id. */
  inboxes: Record<string, number>;
}

const findHeads =
  statement(`SELECT newest_position()::float8 AS position, EXISTS (SELECT FROM unpositioned_events) AS waiting,
  (SELECT coalesce(json_object_agg(id, inbox_sequence), '{}') FROM agents WHERE id = ANY ($1)) AS inboxes`);

async function readHeads(pool: Pool, agentIds: readonly string[]): Promise<Heads> {
  const { rows } = await pool.query<Heads>({ ...findHeads, values: [agentIds] });
  return rows[0]!;
}

/** The agents that a stream belongs to: the caller's, and the one whose inbox it reads. */
const agentsOf = (key: StreamKey, { agentId }: Caller): string[] =>
  [...new Set([agentId, key.kind === 'inbox' ? key.agentId : null])].filter((id) => id !== null);

const nameOf = (key: StreamKey): string => (key.kind === 'all' ? 'all' : `inbox ${key.agentId}`);

function numberIn(cursors: Cursors, key: StreamKey, cursor: string): number {
  const place = cursors.decode(cursor);
  const fits =
    place?.stream === key.kind && (key.kind === 'all' || (place.stream === 'inbox' && place.of === key.agentId));
  if (!fits) throw new CursorExpired();
  return place.number;
}
