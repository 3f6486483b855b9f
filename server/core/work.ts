import { createHash } from 'node:crypto';
import { escapeLiteral, type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { canonicalJson } from './canonicalJson.ts';
import { Changes, statement, type Statement } from './changes.ts';
import { IdempotencyMismatchError } from './errors.ts';
import { newId } from './ids.ts';
import { readable } from './rights.ts';
import type { CallerRequest } from './request.ts';
import type { NewRow, RowOf, Table } from './rows.ts';

/** What changed: the global order up to a position, an agent's inbox up to a number, an ended key, or what callers used of their rates. */
export type Hint =
  | { about: 'all'; number: number }
  | { about: 'inbox'; agentId: string; number: number }
  | { about: 'key'; keyId: string }
  | { about: 'rates'; process: string; used: readonly UsedTokens[] };

/** Tokens of a rate limit that a caller used. */
export interface UsedTokens {
  principal: string;
  role: Role;
  kind: 'read' | 'write';
  tokens: number;
}

export type Role = 'AGENT' | 'OPERATOR' | 'ANALYST' | 'ADMIN';

/** The caller: a key's principal, or an internal task (such as `sweep`) without a role. */
export interface Caller {
  principal: string;
  role: Role | null;
  /** The agent that the caller's key is bound to, or null. */
  agentId: string | null;
  /** UUID of the caller's key in the database; null without one. */
  keyId: string | null;
  /** When that key expires, in milliseconds of `performance.now()`; null when it does not expire. */
  expiresAt: number | null;
  /** The request that it makes; undefined outside of requests. */
  request?: CallerRequest | undefined;
}

/** An internal caller, named as Events show it. It has no role and may read everything. */
export const batonItself = (principal: string): Caller => ({
  principal,
  role: null,
  agentId: null,
  keyId: null,
  expiresAt: null,
});

export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log whose lines name the request. */
export const logOf = (log: Logger, request: CallerRequest | undefined): Logger =>
  request === undefined
    ? log
    : {
        info: (fields, message) => log.info({ ...fields, requestId: request.id }, message),
        warn: (fields, message) => log.warn({ ...fields, requestId: request.id }, message),
        error: (fields, message) => log.error({ ...fields, requestId: request.id }, message),
      };

/** Announces committed events. Subscribers find unannounced ones a little later. */
export interface Announcer {
  /** Announces committed events and their inbox numbers. Returns at once and never throws. */
  announce(inboxes: readonly Hint[]): void;
}

export interface WorkOptions {
  pool: Pool;
  announcer?: Announcer | undefined;
  log: Logger;
  caller: Caller;
  /** The mutation's name, part of the idempotency check. */
  mutation: string;
  /** The decoded input, part of the idempotency check. */
  input: object;
  idempotencyKey?: string | null | undefined;
  /** Makes the generator of growing UUIDs for the new rows of an attempt; reproducible runs pass their own. */
  ids?: () => () => string;
}

/** Takes what a command asks of the rules, so that it goes on after a refusal. The command is taken back (`takeBack`). */
export interface Trial {
  demand(question: object): void;
  /** What demands that a person approves first; null when nothing does. */
  demandedBy: string | null;
  /** Hash of the Context that would be approved; null unless an approval is simulated. */
  contentHash: string | null;
}

/** A command's answer: ids and scalars only, because an idempotent repeat returns it unchanged. */
export type Answer = object;

// An expired answer is deleted, so that its key can be used again.
const findAnswer = statement(
  `WITH expired AS (DELETE FROM idempotency_answers WHERE caller = $1 AND key = $2 AND created_at <= clock_timestamp() - interval '24 hours')
   SELECT mutation, input_hash, answer FROM idempotency_answers WHERE caller = $1 AND key = $2 AND created_at > clock_timestamp() - interval '24 hours'`,
);

/** Records that commands name to act in their Session. */
const tableOf = { Handoff: 'handoffs', AgentSession: 'agent_sessions' } as const;

const lockCount = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))');

/** Thrown when a command's choice was invalidated before it had the lock. The command runs again with `work.attempt` one higher. */
export class Overtaken extends Error {}

/** Thrown by `work.outside`. */
export class Outside extends Error {
  constructor(
    readonly key: string,
    readonly ask: () => Promise<unknown>,
  ) {
    super(`'${key}' is asked for outside of the transaction`);
  }
}

/**
 * One transaction: lock, check the rules, stage the changes. `runWork` writes them in one statement together with the
 * idempotency answer, commits, and only then runs the effects.
 */
export class Work {
  /** Locked agents that may have got a free place, for what runs after the command. */
  readonly freed = new Map<string, RowOf<'agents'>>();
  /** True when this work has seen that the queue is empty. */
  nobodyWaits = false;
  /** Null: the first refusal ends the command. */
  dryRun: Trial | null = null;
  #actor: Caller | null = null;
  /** The database's time, read under the lock, so that all processes use one clock. */
  now = new Date(Number.NaN);
  /** When this process started the work, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  #changes = new Changes();
  readonly #effects: (() => void)[] = [];
  /** The newest number per inbox written to; null when no event was written. */
  #announced: Map<string, Hint> | null = null;
  #begun = false;
  readonly newId: () => string;

  constructor(
    private readonly client: PoolClient,
    private readonly options: WorkOptions,
    private readonly inputHash: string,
    /** 1 for the first attempt; a later attempt may lock more. */
    readonly attempt: number,
    private readonly asked: ReadonlyMap<string, unknown>,
  ) {
    this.newId = options.ids?.() ?? newId;
  }

  /** Whom events and records name. */
  get caller(): Caller {
    return this.#actor ?? this.options.caller;
  }

  /** Runs a part of the work in another caller's name. */
  async as<T>(caller: Caller, part: () => Promise<T>): Promise<T> {
    this.#actor = caller;
    try {
      return await part();
    } finally {
      this.#actor = null;
    }
  }

  /**
   * What `ask` resolves to. It is asked after a rollback, so that neither locks nor a connection wait for it; then the command runs
   * again and gets the answer at once. `key` names everything that the answer depends on.
   */
  outside<T>(key: string, ask: () => Promise<T>): T {
    if (!this.asked.has(key)) throw new Outside(key, ask);
    return this.asked.get(key) as T;
  }

  /** What `ask` of that key resolved to in an earlier run; undefined when it was not asked. */
  known<T>(key: string): T | undefined {
    return this.asked.get(key) as T | undefined;
  }

  get pool(): Pool {
    return this.options.pool;
  }

  /** What came with the request, for its events. */
  get traceparent(): string | null {
    return this.options.caller.request?.traceparent ?? null;
  }

  get log(): Logger {
    return this.options.log;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** Begins a transaction without locking a Session. */
  async begin(): Promise<void> {
    await this.#lock('SELECT clock_timestamp() AS now');
  }

  /**
   * Locks the Session until the transaction ends. False when it does not exist or the caller may not read it. Later reads
   * see everything that earlier holders of the lock committed.
   */
  async lockSession(sessionId: string): Promise<boolean> {
    const rows = await this.#lock(
      `SELECT clock_timestamp() AS now FROM (SELECT FROM sessions s WHERE id = ${escapeLiteral(sessionId)} AND ${readable(this.caller, 'Session', 's')} FOR NO KEY UPDATE) s`,
    );
    return rows.length === 1;
  }

  /** Locks the Session as `lockSession` does, and reads `columns` of it. `select` may add what its committed row refers to. */
  async lockAndReadSession<Row extends QueryResultRow>(
    sessionId: string,
    { columns, select }: { columns: string; select: string },
  ): Promise<Row | null> {
    const rows = await this.#lock(
      `SELECT clock_timestamp() AS now, ${select} FROM (SELECT ${columns} FROM sessions s WHERE id = ${escapeLiteral(sessionId)} AND ${readable(this.caller, 'Session', 's')} FOR NO KEY UPDATE) s`,
    );
    return (rows[0] as Row | undefined) ?? null;
  }

  /**
   * Locks the Session of a record and returns its id. Null when the record does not exist, the caller may not read it, or,
   * with `skipLocked`, the Session is locked.
   */
  async lockSessionOf(
    recordId: string,
    { of = 'Handoff', skipLocked = false }: { of?: keyof typeof tableOf; skipLocked?: boolean } = {},
  ): Promise<string | null> {
    const rows = await this.#lock(
      `SELECT clock_timestamp() AS now, s.id FROM (SELECT s.id FROM ${tableOf[of]} t JOIN sessions s ON s.id = t.session_id
       WHERE t.id = ${escapeLiteral(recordId)} AND ${readable(this.caller, of, 't')} FOR NO KEY UPDATE OF s${skipLocked ? ' SKIP LOCKED' : ''}) s`,
    );
    return (rows[0]?.['id'] as string | undefined) ?? null;
  }

  /**
   * Makes works that count something under this name, and then add to it, wait for each other. Count in a later statement: it sees
   * what the others committed.
   */
  async lockCount(name: string): Promise<void> {
    await this.query(lockCount, [`baton count ${name}`]);
  }

  async query<Row extends QueryResultRow>(prepared: Statement, values: unknown[]): Promise<Row[]> {
    const result = await this.client.query<Row>({ ...prepared, values });
    return result.rows;
  }

  /**
   * The stored answer for this caller's idempotency key, or null. Call it after the check that the caller may read the
   * record (rule: order of refusals). The key is locked from the start, so a concurrent first request has finished.
   */
  async earlierAnswer<A extends Answer>(): Promise<A | null> {
    const key = this.options.idempotencyKey;
    if (key == null) return null;
    const [found] = await this.query<{ mutation: string; input_hash: string; answer: A }>(findAnswer, [
      this.caller.principal,
      storedKey(key),
    ]);
    if (found === undefined) return null;
    if (found.mutation !== this.options.mutation || found.input_hash !== this.inputHash) {
      throw new IdempotencyMismatchError(key);
    }
    return found.answer;
  }

  /** Whether the caller sent an idempotency key. */
  get hasKey(): boolean {
    return this.options.idempotencyKey != null;
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

  /** Runs an effect after the commit. The effect may not fail the mutation. */
  afterCommit(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** Notifies listeners, after the commit, of a staged event and its inbox number, if it has one. */
  announce(inbox: { agentId: string; number: number } | null): void {
    this.#announced ??= new Map();
    if (inbox !== null) this.#announced.set(inbox.agentId, { about: 'inbox', ...inbox });
  }

  /** Writes the staged changes and the idempotency answer in one statement. Without staged changes it writes nothing. */
  async write(answer: Answer): Promise<void> {
    if (this.changes.isEmpty) return;
    const key = this.options.idempotencyKey;
    if (key != null) {
      this.insert('idempotency_answers', {
        caller: this.caller.principal,
        key: storedKey(key),
        mutation: this.options.mutation,
        inputHash: this.inputHash,
        answer: answer as never,
        createdAt: this.now,
      });
    }
    await this.flush();
  }

  /** Sends the changes staged so far, so that a later command in this transaction can read them. */
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

  /** Sends BEGIN, the idempotency key's lock and the row lock in one round trip. */
  async #lock(select: string): Promise<QueryResultRow[]> {
    const parts = [select];
    if (!this.#begun) {
      const key = this.options.idempotencyKey;
      if (key != null)
        parts.unshift(`DO $$BEGIN PERFORM pg_advisory_xact_lock(${lockNumber(this.caller.principal, key)}); END$$`);
      // Commands find rows by key: a custom plan for the values costs more than execution.
      parts.unshift('BEGIN', 'SET LOCAL plan_cache_mode = force_generic_plan', 'SET LOCAL enable_seqscan = off');
      this.#begun = true;
    }
    // A message with several statements returns an array of results, which pg's types omit.
    const answer = (await this.client.query(parts.join('; '))) as QueryResult | QueryResult[];
    const last = Array.isArray(answer) ? answer.at(-1) : answer;
    const rows = (last?.rows ?? []) as QueryResultRow[];
    const now: unknown = rows[0]?.['now'];
    if (now instanceof Date) this.now = now;
    return rows;
  }
}

/** A caller may have chosen a secret as key: its hash alone is stored. */
export const storedKey = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** A 64-bit lock number for an idempotency key. A collision only makes two keys wait for each other. */
function lockNumber(principal: string, key: string): string {
  return createHash('sha256')
    .update(canonicalJson(['idempotency', principal, key]))
    .digest()
    .readBigInt64BE()
    .toString();
}
