import { createHash } from 'node:crypto';
import { escapeLiteral, type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { canonicalJson } from './canonicalJson.ts';
import { Changes, statement, type Statement } from './changes.ts';
import { IdempotencyMismatchError } from './errors.ts';
import { newId } from './ids.ts';
import { readableSql } from './readable.ts';
import type { NewRow, RowOf, Table } from './rows.ts';

/** What moved: the order over all events to a position, an agent's inbox to a number, or a key that has ended. */
export type Hint =
  | { about: 'all'; number: number }
  | { about: 'inbox'; agentId: string; number: number }
  | { about: 'key'; keyId: string };

export type Role = 'AGENT' | 'OPERATOR' | 'ANALYST' | 'ADMIN';

/** Who asks: a key's principal, or Baton itself (`sweep`), which has no role. */
export interface Caller {
  principal: string;
  role: Role | null;
  /** The agent that the caller's key is bound to; null for everybody else. */
  agentId: string | null;
  /** UUID of the key in the database that the caller came with; null for whoever came without one. */
  keyId: string | null;
  /** When that key stops working, in milliseconds of `performance.now()`; null when it does not by itself. */
  expiresAt: number | null;
}

/** Baton itself, under the name that Events show; it has no role, and may read everything. */
export const batonItself = (principal: string): Caller => ({ principal, role: null, agentId: null, keyId: null, expiresAt: null });

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where committed events are announced. What nobody announces is found a little later. */
export interface Announcer {
  /** Events were committed, and with them numbers in inboxes. Returns at once and never throws. */
  announce(inboxes: readonly Hint[]): void;
}

export interface WorkOptions {
  pool: Pool;
  announcer?: Announcer | undefined;
  log: Logger;
  caller: Caller;
  /** Name of the mutation, which an idempotency key is bound to. */
  mutation: string;
  /** The decoded input, which an idempotency key is bound to as well. */
  input: object;
  idempotencyKey?: string | null | undefined;
  /** Where new rows get their ids from, UUIDs that grow; a story that is to be the same every time has its own. */
  newId?: () => string;
}

/** What a command answers: ids and scalars only, since an idempotency key repeats it to the letter. */
export type Answer = object;

// An answer that is too old makes room for a new one under its key.
const findAnswer = statement(
  `WITH expired AS (DELETE FROM idempotency_answers WHERE caller = $1 AND key = $2 AND created_at <= clock_timestamp() - interval '24 hours')
   SELECT mutation, input_hash, answer FROM idempotency_answers WHERE caller = $1 AND key = $2 AND created_at > clock_timestamp() - interval '24 hours'`,
);

/** Thrown by a command whose choice was overtaken before it had the lock: run it again, with `work.attempt` one higher. */
export class Overtaken extends Error {}

/**
 * One transaction: lock, ask the rules, stage the changes. `runWork` writes them in one statement together with
 * the idempotency answer, commits, and then, and only then, runs the effects.
 */
export class Work {
  /** The database's clock, read under the lock: one clock for all processes. */
  now = new Date(Number.NaN);
  /** When the process took it up, on its own monotonic clock, in milliseconds. */
  readonly startedAt = performance.now();
  #changes = new Changes();
  readonly #effects: (() => void)[] = [];
  /** The newest number of each inbox that this writes into; null when it writes no event. */
  #announced: Map<string, Hint> | null = null;
  #begun = false;

  constructor(
    private readonly client: PoolClient,
    private readonly options: WorkOptions,
    private readonly inputHash: string,
    /** 1 for the first; a command may lock more on a later one. */
    readonly attempt: number,
  ) {}

  get caller(): Caller {
    return this.options.caller;
  }

  newId(): string {
    return (this.options.newId ?? newId)();
  }

  get log(): Logger {
    return this.options.log;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** Begins a transaction that locks no Session: for what creates one, or concerns agents alone. */
  async begin(): Promise<void> {
    await this.#lock('SELECT clock_timestamp() AS now');
  }

  /** Locks the Session until the end; false when there is none that the caller may read. Everything read afterwards is as the last holder of the lock left it. */
  async lockSession(sessionId: string): Promise<boolean> {
    const rows = await this.#lock(
      `SELECT clock_timestamp() AS now FROM (SELECT FROM sessions s WHERE id = ${escapeLiteral(sessionId)} AND ${readableSql(this.caller, 's.id')} FOR NO KEY UPDATE) s`,
    );
    return rows.length === 1;
  }

  /** Locks the Session of a Handoff and returns its id; null when there is no such Handoff that the caller may read. `skipLocked`: also when somebody else has it. */
  async lockSessionOf(handoffId: string, { skipLocked = false } = {}): Promise<string | null> {
    const rows = await this.#lock(
      `SELECT clock_timestamp() AS now, s.id FROM (SELECT s.id FROM handoffs h JOIN sessions s ON s.id = h.session_id
       WHERE h.id = ${escapeLiteral(handoffId)} AND ${readableSql(this.caller, 's.id')} FOR NO KEY UPDATE OF s${skipLocked ? ' SKIP LOCKED' : ''}) s`,
    );
    return (rows[0]?.['id'] as string | undefined) ?? null;
  }

  async query<Row extends QueryResultRow>(prepared: Statement, values: unknown[]): Promise<Row[]> {
    const result = await this.client.query<Row>({ ...prepared, values });
    return result.rows;
  }

  /**
   * The answer that this caller's idempotency key already has, or null. Ask it once the caller is known to see
   * the record (rule: order of refusals). The key is locked from the start, so a first request that still runs has been waited for.
   */
  async earlierAnswer<A extends Answer>(): Promise<A | null> {
    const key = this.options.idempotencyKey;
    if (key == null) return null;
    const [found] = await this.query<{ mutation: string; input_hash: string; answer: A }>(findAnswer, [
      this.caller.principal,
      key,
    ]);
    if (found === undefined) return null;
    if (found.mutation !== this.options.mutation || found.input_hash !== this.inputHash) {
      throw new IdempotencyMismatchError(key);
    }
    return found.answer;
  }

  get changes(): Changes {
    return this.#changes;
  }

  insert<T extends Table, Row extends NewRow<T>>(table: T, row: Row): Row {
    return this.changes.insert(table, row);
  }

  change<T extends Table>(table: T, row: RowOf<T>, fields: Partial<RowOf<T>>): void {
    this.changes.change(table, row, fields);
  }

  /** Something to do once the change is committed; it may not fail the mutation any more. */
  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** An event was staged, with its number in an agent's inbox or in none: after the commit, and only then, listeners are told. */
  announce(inbox: { agentId: string; number: number } | null): void {
    this.#announced ??= new Map();
    if (inbox !== null) this.#announced.set(inbox.agentId, { about: 'inbox', ...inbox });
  }

  /** Writes what was staged, and the answer under the idempotency key, in one statement. Nothing staged, nothing written. */
  async write(answer: Answer): Promise<void> {
    if (this.changes.isEmpty) return;
    const key = this.options.idempotencyKey;
    if (key != null) {
      this.insert('idempotency_answers', {
        caller: this.caller.principal,
        key,
        mutation: this.options.mutation,
        inputHash: this.inputHash,
        answer: answer as never,
        createdAt: this.now,
      });
    }
    await this.flush();
  }

  /** Sends what was staged so far: for a command that runs others one after the other, each on what the one before it wrote. */
  async flush(): Promise<void> {
    if (this.changes.isEmpty) return;
    const { statement: prepared, values } = this.changes.toStatement();
    this.#changes = new Changes();
    await this.client.query({ ...prepared, values });
  }

  runEffects(): void {
    const { announcer } = this.options;
    if (this.#announced !== null && announcer !== undefined) {
      const hints = [...this.#announced.values()];
      this.#effects.unshift(() => announcer.announce(hints));
    }
    for (const effect of this.#effects) {
      try {
        effect();
      } catch (error) {
        this.log.error({ err: error }, 'an effect after a commit failed; the change stands');
      }
    }
  }

  /** BEGIN, the lock of the idempotency key and the lock itself travel together: one round trip. */
  async #lock(select: string): Promise<QueryResultRow[]> {
    const parts = [select];
    if (!this.#begun) {
      const key = this.options.idempotencyKey;
      if (key != null) parts.unshift(`DO $$BEGIN PERFORM pg_advisory_xact_lock(${lockNumber(this.caller.principal, key)}); END$$`);
      // What commands send finds rows by their keys: planning it anew for its values costs more than running it.
      parts.unshift('BEGIN', 'SET LOCAL plan_cache_mode = force_generic_plan', 'SET LOCAL enable_seqscan = off');
      this.#begun = true;
    }
    // Several statements in one message give a list of results, which pg's types do not know.
    const answer = (await this.client.query(parts.join('; '))) as QueryResult | QueryResult[];
    const last = Array.isArray(answer) ? answer.at(-1) : answer;
    const rows = (last?.rows ?? []) as QueryResultRow[];
    const now: unknown = rows[0]?.['now'];
    if (now instanceof Date) this.now = now;
    return rows;
  }
}

/** A 64-bit number for an idempotency key; two keys that share one wait for each other, no more. */
function lockNumber(principal: string, key: string): string {
  return createHash('sha256').update(canonicalJson(['idempotency', principal, key])).digest().readBigInt64BE().toString();
}
