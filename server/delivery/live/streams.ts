import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { isDatabaseAway } from '../../core/databaseErrors.ts';
import { UnavailableError } from '../../core/errors.ts';
import { isLost, type Point, sawGoBack } from '../../core/history.ts';
import { Places } from '../../core/places.ts';
import type { Announcer, Caller, Logger } from '../../core/work.ts';
import type { Hint } from '../../core/work.ts';
import { cursorsOf, type Cursors, forgetCursors, markOf } from '../../work/events/cursors.ts';
import type { Doorbell } from './doorbell.ts';
import { type EventRow, Hub, readRows, type StreamKey, WentBack } from './hub.ts';
import { Presence, type PresenceOptions } from './presence.ts';
import { createStamper, type Stamper } from './stamp.ts';
import { Stream, StreamEnded } from './stream.ts';

/** The cursor is invalid or too old for this stream. */
export class CursorExpired extends Error {}

/** The database does not have the event of the cursor: it went back to an earlier moment. */
export class CursorLost extends Error {}

export class TooManyConnections extends Error {
  constructor(readonly limit: number) {
    super(`A key may have ${limit} sockets, SSE subscriptions and MCP streams together: close others, then try again`);
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
  /** The limit of open sockets, SSE subscriptions and MCP streams per caller. */
  connectionsOfCaller?: number;
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
  name: string;
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
  readonly #connections: Places;
  readonly #stamper: Stamper;
  /** Which agents have streams here, and when they were last seen. */
  readonly presence: Presence;
  readonly #stopListening: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #poll: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #lastPoll = performance.now();
  /** The newest event at the last look, and the database that had it. */
  #known: (Point & { database: string | undefined }) | null = null;
  /** How often the database went back. */
  #age = 0;
  #stopped = false;
  #logged = false;

  constructor(private readonly options: StreamsOptions) {
    const { pool, log, doorbell, connectionsOfCaller = Infinity, heartbeatMs = 10_000 } = options;
    this.#connections = new Places(connectionsOfCaller);
    this.#stamper = createStamper({ pool, log, stamped: (number) => doorbell.ring([{ about: 'all', number }]) });
    this.presence = new Presence({ pool, log, ...options.presence });
    this.#stopListening = doorbell.listen({
      heard: (hint) => this.#onHint(hint),
      missed: () => void (this.#places.size > 0 && !this.#stopped && this.#lookEverywhere()),
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
   * Counts a connection that carries streams: a socket, an SSE subscription or an MCP stream. Returns a function that gives its
   * place back and may be called more than once.
   * @throws TooManyConnections
   */
  connect(caller: Caller): () => void {
    const leave = this.#connections.take(caller);
    if (leave === null) throw new TooManyConnections(this.#connections.limit);
    return leave;
  }

  /**
   * Delivers the events after the cursor, or those committed after this call.
   * @throws CursorExpired, CursorLost, UnavailableError, StreamEnded
   */
  async open(opening: Opening): Promise<Stream> {
    if (this.#stopped) throw new StreamEnded('stopping');
    try {
      return await this.#begin(opening);
    } catch (error) {
      throw isDatabaseAway(error) ? new UnavailableError('read') : error;
    }
  }

  /** Compares the database with what this process saw of it before. Never rejects. */
  async look(): Promise<void> {
    if (this.#stopped || (this.#open.size > 0 && this.#known !== null)) return;
    await this.#lookEverywhere();
  }

  /** Why an Event that a stream delivered with this cursor is not in the database. */
  async whyGone(cursor: string, eventId: string): Promise<'pruned' | 'history'> {
    const { pool } = this.options;
    const place = (await cursorsOf(pool)).decode(cursor);
    if (place === null) return 'history';
    const key: StreamKey = place.stream === 'all' ? { kind: 'all' } : { kind: 'inbox', agentId: place.of };
    const { here, pruned } = await readRows(pool, key, place.number, 0, place.number);
    return isLost({ number: place.number, eventId }, here, pruned) ? 'history' : 'pruned';
  }

  /** A caller has a cursor that the database signed, of an event that it does not have. */
  lostCursor(): void {
    sawGoBack(this.options.pool, this.options.log, 'cursor');
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

  async #begin(opening: Opening): Promise<Stream> {
    const { key, caller, after, confined = false, ofSessions = false, accepts } = opening;
    const { pool, watchKey } = this.options;
    const cursors = await cursorsOf(pool);
    const from = after === null ? null : placeIn(cursors, key, after);
    if (key.kind === 'all') await this.#stamper.now();
    const place = await this.#use(key, cursors);
    const { hub } = place;
    try {
      await hub.read();
      if (from !== null && !(await this.#has(place, from))) {
        this.lostCursor();
        throw new CursorLost();
      }
      if (from !== null && from.number < hub.pruned && !ofSessions) throw new CursorExpired();
      if (this.#stopped) throw new StreamEnded('stopping');
    } catch (error) {
      this.#release(place);
      if (!(error instanceof WentBack)) throw error;
      this.#goBack(place);
      return this.#begin(opening);
    }
    if (!this.#isCurrent(place)) return this.#begin(opening);
    const stream: Stream = new Stream({
      hub,
      from: from === null ? hub.point : { number: from.number, eventId: from.mark },
      resumed: from !== null,
      prunable: !ofSessions,
      ...(confined && { rereadUpTo: hub.head }),
      accepts,
      failed: (error) => this.#failed(place, error),
      closed: () => {
        this.#open.delete(stream);
        stopWatching?.();
        disconnected();
        this.#release(place);
      },
    });
    this.#open.add(stream);
    const disconnected = this.presence.connected(agentsOf(key, caller));
    const stopWatching = watchKey?.(caller, () => stream.fail(new StreamEnded('key')));
    this.#schedule();
    return stream;
  }

  /** Whether the event of a cursor has this number still. A cursor of an older version has no mark, and a pruned event cannot be compared. */
  async #has({ hub, key }: Place, { number, mark }: From): Promise<boolean> {
    if (number > hub.head) return false;
    if (mark === undefined) return true;
    const kept = hub.idAt(number);
    if (kept != null) return markOf(kept) === mark;
    const { here, pruned } = await readRows(this.options.pool, key, number, 0, number);
    return here === null ? number <= pruned : markOf(here) === mark;
  }

  /** Increments the users at once, so that another reader's leaving cannot remove the hub. */
  async #use(key: StreamKey, cursors: Cursors): Promise<Place> {
    const name = nameOf(key);
    const given = this.#places.has(name) ? 0 : await this.#given(key);
    const place = this.#places.get(name) ?? this.#createPlace(name, key, cursors, given);
    this.#places.set(name, place);
    place.users += 1;
    return place;
  }

  /** The newest number that was given. */
  async #given(key: StreamKey): Promise<number> {
    const { inboxes, position } = await readHeads(this.options.pool, key.kind === 'inbox' ? [key.agentId] : [], 0);
    return key.kind === 'inbox' ? (inboxes[key.agentId]?.number ?? 0) : position;
  }

  #createPlace(name: string, key: StreamKey, cursors: Cursors, given: number): Place {
    const options = {
      read: (after: number, limit: number, known: number) => readRows(this.options.pool, key, after, limit, known),
      cursor: ({ number, eventId }: Point) =>
        cursors.encode(
          key.kind === 'all' ? { stream: 'all', number } : { stream: 'inbox', of: key.agentId, number },
          eventId,
        ),
      inbox: key.kind === 'inbox',
      failed: (error: unknown) => this.#failed(place, error),
    };
    const hub = new Hub(options, key.kind === 'inbox' ? given : Math.max(given - readAhead, 0), given);
    const place: Place = { name, key, hub, users: 0 };
    return place;
  }

  #release(place: Place): void {
    place.users -= 1;
    if (place.users === 0 && this.#isCurrent(place)) this.#places.delete(place.name);
  }

  #isCurrent(place: Place): boolean {
    return this.#places.get(place.name) === place;
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

  /** Finds the streams that have moved, and whether the database went back, in one statement. */
  async #lookEverywhere(): Promise<void> {
    this.#lastPoll = performance.now();
    // Before the statement: what was read later may be younger than its snapshot.
    const known = this.#known ?? { number: 0, eventId: null, database: undefined };
    const age = this.#age;
    const inboxes = [...this.#places.values()].flatMap(({ key, hub }) =>
      key.kind === 'inbox' ? [{ agentId: key.agentId, point: hub.point }] : [],
    );
    try {
      const heads = await readHeads(
        this.options.pool,
        inboxes.map(({ agentId }) => agentId),
        known.number,
      );
      if (age !== this.#age || this.#stopped) return;
      if (!heads.standby) {
        const isOther = known.database !== undefined && known.database !== heads.database;
        if (isOther || isLost(known, heads.here, heads.pruned)) return this.#goBack();
        if (inboxes.some(({ agentId, point }) => isInboxLost(point, heads.inboxes[agentId]))) return this.#goBack();
        this.#known = { number: heads.position, eventId: heads.newest, database: heads.database };
      }
      this.#onHint({ about: 'all', number: heads.position });
      for (const [agentId, { number }] of Object.entries(heads.inboxes))
        this.#onHint({ about: 'inbox', agentId, number });
      if (heads.waiting && this.#places.has('all')) this.#stamper.request(0);
      this.#logged = false;
    } catch (error) {
      this.#logOnce({ err: error }, 'the database could not be asked for new events; it is asked again and again');
    }
  }

  #failed(place: Place, error: unknown): void {
    if (error instanceof WentBack) return this.#goBack(place);
    this.#logOnce({ err: error, stream: place.name }, 'a stream could not be read on; it is tried again and again');
  }

  /** Ends all streams: what their readers know may be gone. The hubs begin anew. A late answer of a hub that was left changes nothing. */
  #goBack(by?: Place): void {
    if (by !== undefined && !this.#isCurrent(by)) return;
    this.#age += 1;
    this.#known = null;
    this.#places.clear();
    forgetCursors(this.options.pool);
    this.presence.beginAnew();
    sawGoBack(this.options.pool, this.options.log, 'server');
    for (const stream of this.#open) stream.fail(new StreamEnded('history'));
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
  /** The event that has it; null when it was pruned. */
  newest: string | null;
  /** The event at the position that was known; null for none. */
  here: string | null;
  /** The newest position that was pruned. */
  pruned: number;
  database: string;
  /** A standby may be behind what was seen before. */
  standby: boolean;
  /** Whether events wait for a position. */
  waiting: boolean;
  /** The last number of each requested inbox, and the event that has it, by agent id. */
  inboxes: Record<string, { number: number; eventId: string | null }>;
}

const findHeads =
  statement(`SELECT newest_position()::float8 AS position, (SELECT event_id FROM event_positions WHERE position = newest_position()) AS newest,
  (SELECT event_id FROM event_positions WHERE position = $2) AS here, (SELECT position FROM pruning)::float8 AS pruned, (SELECT id FROM database_identity) AS database,
  pg_is_in_recovery() AS standby, EXISTS (SELECT FROM unpositioned_events) AS waiting,
  (SELECT coalesce(json_object_agg(id, json_build_object('number', inbox_sequence,
    'eventId', (SELECT event_id FROM inbox_entries WHERE agent_id = id AND sequence = inbox_sequence))), '{}') FROM agents WHERE id = ANY ($1)) AS inboxes`);

async function readHeads(pool: Pool, agentIds: readonly string[], known: number): Promise<Heads> {
  const { rows } = await pool.query<Heads>({ ...findHeads, values: [agentIds, known] });
  return rows[0]!;
}

/** Newer entries are compared when they are read. */
const isInboxLost = (point: Point, head: Heads['inboxes'][string] | undefined): boolean =>
  (head?.number ?? 0) < point.number ||
  (head?.number === point.number && point.eventId != null && head.eventId !== null && head.eventId !== point.eventId);

/** The agents that a stream belongs to: the caller's, and the one whose inbox it reads. */
const agentsOf = (key: StreamKey, { agentId }: Caller): string[] =>
  [...new Set([agentId, key.kind === 'inbox' ? key.agentId : null])].filter((id) => id !== null);

const nameOf = (key: StreamKey): string => (key.kind === 'all' ? 'all' : `inbox ${key.agentId}`);

/** The number of a caller's cursor, and the mark of its event. */
interface From {
  number: number;
  mark?: string;
}

function placeIn(cursors: Cursors, key: StreamKey, cursor: string): From {
  const place = cursors.decode(cursor);
  const fits =
    place?.stream === key.kind && (key.kind === 'all' || (place.stream === 'inbox' && place.of === key.agentId));
  if (!fits) throw new CursorExpired();
  return place;
}
