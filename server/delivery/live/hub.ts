import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { isLost, type Point } from '../../core/history.ts';
import { readersOfEvent } from '../../core/rights.ts';
import type { Role } from '../../core/work.ts';
import type { EventType } from '../../work/events/topics.ts';

/** A committed Event with the fields that decide its recipients. */
export interface EventRow {
  id: string;
  type: EventType;
  at: Date;
  sessionId: string | null;
  sessionSequence: number | null;
  reason: string | null;
  actorPrincipal: string;
  actorRole: Role | null;
  traceparent: string | null;
  /** The agents whose inboxes contain it. */
  inboxes: string[];
  /** The agents that have or had an AgentSession in its Session, and read it (rule: carry). */
  readers: string[];
}

/** The global order of events, or an agent's inbox. */
export type StreamKey = { kind: 'all' } | { kind: 'inbox'; agentId: string };

/** A row and its number in its stream. */
export type NumberedRow = EventRow & { number: number };

const columns = `e.id, e.type, e.at, e.session_id AS "sessionId", e.session_sequence AS "sessionSequence", e.reason,
  e.actor_principal AS "actorPrincipal", e.actor_role AS "actorRole", e.traceparent,
  ARRAY(SELECT agent_id FROM inbox_entries WHERE event_id = e.id) AS inboxes,
  ARRAY(${readersOfEvent('e')}) AS readers`;

// One row without a number: no event has a later position. Rows, `pruned` and `here` are of one snapshot.
const readAll =
  statement(`SELECT pruning.position::float8 AS pruned, (SELECT event_id FROM event_positions WHERE position = $3) AS here, pg_is_in_recovery() AS standby, r.* FROM pruning LEFT JOIN LATERAL (
  SELECT p.position::float8 AS number, ${columns} FROM event_positions p JOIN events e ON e.id = p.event_id WHERE p.position > $1 ORDER BY p.position LIMIT $2) r ON true ORDER BY r.number`);
const readInbox =
  statement(`SELECT coalesce((SELECT sequence FROM pruned_inboxes WHERE agent_id = $4), 0) AS pruned, (SELECT event_id FROM inbox_entries WHERE agent_id = $4 AND sequence = $3) AS here,
  pg_is_in_recovery() AS standby, r.* FROM pruning LEFT JOIN LATERAL (
  SELECT i.sequence AS number, ${columns} FROM inbox_entries i JOIN events e ON e.id = i.event_id WHERE i.agent_id = $4 AND i.sequence > $1 ORDER BY i.sequence LIMIT $2) r ON true ORDER BY r.number`);

export interface Rows {
  rows: NumberedRow[];
  /** The newest number of the stream that was pruned; 0 for none. Only up to it numbers are missing. */
  pruned: number;
  /** The Event that has the number `known`; null for none. */
  here: string | null;
}

/** The stream is not the one that was read before: the database went back to an earlier moment. */
export class WentBack extends Error {}

/** Reads the next rows of a stream after a number, and which Event has the number `known`. */
export async function readRows(pool: Pool, key: StreamKey, after: number, limit: number, known: number): Promise<Rows> {
  const values = [after, limit, known];
  const query = key.kind === 'all' ? { ...readAll, values } : { ...readInbox, values: [...values, key.agentId] };
  const { rows } = await pool.query<NumberedRow & { pruned: number; here: string | null; standby: boolean }>(query);
  const { pruned, here, standby } = rows[0]!;
  // A standby may be behind and still get what it lacks.
  if (standby && here === null && known > pruned) throw new Error('This PostgreSQL is a standby that lacks events');
  return {
    pruned,
    here,
    rows: rows[0]?.id == null ? [] : rows.map(({ pruned: _, here: _here, standby: _standby, ...row }) => row),
  };
}

/** One item to deliver. All its subscribers receive the same object. */
export interface Item {
  type: EventRow['type'] | 'READY' | 'HEARTBEAT';
  cursor: string;
  at: Date;
  /** Null for READY and HEARTBEAT. */
  event: EventRow | null;
  inboxSequence: number | null;
  recovered: boolean | null;
}

export interface Entry {
  number: number;
  item: Item;
}

export interface HubOptions {
  /** Reads the rows after a number, oldest first, at most `limit`, and which Event has the number `known`. */
  read(after: number, limit: number, known: number): Promise<Rows>;
  cursor(point: Point): string;
  inbox: boolean;
  failed(error: unknown): void;
}

export interface HubListener {
  wake(): void;
}

const batch = 200;
/**
 * Keeps the newest entries for streams that are slightly behind; others read the database. An inbox hub also drops entries
 * older than the previous tick: there may be thousands of inboxes with one listener each.
 */
const kept = 512;

/**
 * One stream in this process: reads each row once for all listeners and keeps the newest rows. It reads on from its own
 * number, so wrong or lost hints cannot skip an event. Each read compares the Event at that number in the same snapshot: nothing is
 * delivered of a database that went back.
 */
export class Hub {
  readonly listeners = new Set<HubListener>();
  /** Everything up to this number has been read. */
  head: number;
  #headId: Point['eventId'];
  /** The newest number that was pruned before the last read. */
  pruned = 0;
  /** The kept entries begin after this number. */
  #floor: number;
  /** The head at the last tick. */
  #ticked = 0;
  readonly #entries: Entry[] = [];
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #hinted = 0;
  #beat: Item | null = null;

  /** `given`: the newest number that was given before. Its row may be pruned. */
  constructor(
    private readonly options: HubOptions,
    head: number,
    private readonly given = head,
  ) {
    this.head = head;
    this.#floor = head;
  }

  /** The stream may have reached this number. Reads only when it is beyond the head; a false hint costs one read. */
  hint(number: number): void {
    if (number <= this.head) return;
    // The running read may include it.
    if (this.#running === null) this.read().catch(this.options.failed);
    else this.#hinted = Math.max(this.#hinted, number);
  }

  /** Resolves when everything committed before the call has been read. Concurrent calls share one statement. @throws WentBack */
  read(): Promise<void> {
    if (this.#running === null) return this.#begin();
    const begin = (): Promise<void> => this.#begin();
    return (this.#next ??= this.#running.then(begin, begin));
  }

  /** The number of kept entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** The entry after a number; undefined when it does not exist yet, null when it is no longer kept. */
  after(number: number): Entry | null | undefined {
    return number < this.#floor ? null : this.#entries[number - this.#floor];
  }

  get point(): Point {
    return { number: this.head, eventId: this.#headId };
  }

  /** The Event at a number: undefined when it is not kept. */
  idAt(number: number): Point['eventId'] {
    return number === this.head ? this.#headId : this.after(number - 1)?.item.event?.id;
  }

  /** Reads older entries for one listener. Without any, nothing is there up to `reached`. @throws WentBack */
  async older(number: number): Promise<{ entries: Entry[]; pruned: number; reached: number }> {
    const reached = this.#floor;
    const { rows, pruned } = await this.#readAfter(number);
    return { entries: rows.map((row) => this.#entryOf(row)), pruned, reached };
  }

  /** One heartbeat for all listeners at the head, until the head moves or the clock ticks. */
  heartbeat(): Item {
    return (this.#beat ??= this.mark('HEARTBEAT', this.point));
  }

  tick(): void {
    if (this.options.inbox) this.#dropUpTo(this.#ticked);
    this.#ticked = this.head;
    this.#wake();
  }

  mark(type: 'READY' | 'HEARTBEAT', point: Point, recovered: boolean | null = null): Item {
    return { type, cursor: this.options.cursor(point), at: new Date(), event: null, inboxSequence: null, recovered };
  }

  #begin(): Promise<void> {
    this.#next = null;
    this.#running = this.#readOn().finally(() => {
      this.#running = null;
      const hinted = this.#hinted;
      this.#hinted = 0;
      if (this.#next === null) this.hint(hinted);
    });
    return this.#running;
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const { rows, pruned } = await this.#readAfter(this.head);
      this.pruned = pruned;
      if (rows.length > 0) this.#add(rows);
      if (rows.length === batch) continue;
      if (this.head < this.given) this.#passOver(this.given);
      return;
    }
  }

  async #readAfter(number: number): Promise<Rows> {
    const known = this.point;
    const found = await this.options.read(number, batch, known.number);
    if (isLost(known, found.here, found.pruned)) throw new WentBack();
    if (known.number === this.head) this.#headId = found.here;
    return found;
  }

  #add(rows: NumberedRow[]): void {
    for (const row of rows) {
      if (row.number !== this.head + 1) this.#passOver(row.number - 1);
      this.#entries.push(this.#entryOf(row));
      this.head = row.number;
      this.#headId = row.id;
    }
    this.#dropUpTo(this.head - kept);
    this.#wake();
  }

  /** Nothing is there between the head and this number. Entries are found by their distance, so those before the gap are dropped. */
  #passOver(number: number): void {
    this.#entries.length = 0;
    this.#floor = number;
    this.head = number;
    this.#headId = null;
  }

  #wake(): void {
    this.#beat = null;
    for (const listener of this.listeners) listener.wake();
  }

  #dropUpTo(number: number): void {
    if (number <= this.#floor) return;
    this.#entries.splice(0, number - this.#floor);
    this.#floor = number;
  }

  #entryOf({ number, ...event }: NumberedRow): Entry {
    const { type, at } = event;
    return {
      number,
      item: {
        type,
        cursor: this.options.cursor({ number, eventId: event.id }),
        at,
        event,
        inboxSequence: this.options.inbox ? number : null,
        recovered: null,
      },
    };
  }
}
