import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { errorCode } from '../../core/databaseErrors.ts';
import { isLost, sawGoBack } from '../../core/history.ts';
import { decodeId } from '../../core/ids.ts';
import { observed } from '../../core/observed.ts';
import { repeat } from '../../core/repeat.ts';
import type { Logger } from '../../core/work.ts';
import { Follower } from './follower.ts';

export interface EventLogOptions {
  /** The folder must exist: it may be a disk that is not mounted. */
  file: string;
  /** From this size on the file is renamed to `<file>.1`, `<file>.1` to `<file>.2` and so on; `kept` of them stay. */
  bytes: number;
  kept?: number;
  pool: Pool;
  /** Resolves when every event that was committed before the call has its position in the order over all events. */
  positioned: () => Promise<void>;
  /** The JSON of events, in their order; null for one that cannot be read. Begins with `{`. */
  bodies: (events: readonly { eventId: string; position: number }[]) => Promise<(string | null)[]>;
  log: Logger;
}

/** Events per statement. */
const batch = 250;
/** Of the file's end, where its last line begins: an event has at most a reason, a summary and metadata. */
const longestLine = 1024 * 1024;

const findHead = statement(`SELECT (SELECT id FROM database_identity) AS database,
  EXISTS (SELECT FROM unpositioned_events) AS waiting`);
// The first columns tell in the same snapshot whether position $1 is the one that was written. One row without a position: there is no later one.
const findNext =
  statement(`SELECT (SELECT id FROM database_identity) AS database, (SELECT event_id FROM event_positions WHERE position = $1) AS here, pruning.position::float8 AS pruned, n.* FROM pruning LEFT JOIN LATERAL (
  SELECT position::float8, event_id AS "eventId" FROM event_positions WHERE position > $1 ORDER BY position LIMIT ${batch}) n ON true ORDER BY n.position`);

interface Next {
  database: string;
  here: string | null;
  pruned: number;
  position: number | null;
  eventId: string;
}

/**
 * Appends every event to a file, one JSON object a line, in the one order over all events. Reads only the database, after the
 * commit. The last whole line states the position up to which all is written; half a line, as a kill leaves it, is cut off.
 * One process writes into a file.
 */
export class EventLog {
  #handle: FileHandle | null = null;
  #size = 0;
  #last: Last | null = null;
  #stopped = false;
  readonly #follower: Follower;

  constructor(private readonly options: EventLogOptions) {
    this.#follower = new Follower(options.pool, 'event log', resolve(options.file));
  }

  /** Appends what is missing and returns the number of events. Rejects when the file or the database fails; the next call continues there. */
  async catchUp(): Promise<number> {
    const { pool, positioned, bodies } = this.options;
    const { rows } = await pool.query<{ database: string; waiting: boolean }>({ ...findHead });
    if (rows[0]!.waiting) await positioned();
    try {
      await this.#begin();
      let count = 0;
      while (!this.#stopped) {
        const last: Last = this.#last ?? { database: rows[0]!.database, position: 0, eventId: null };
        await this.#follower.at(last.position);
        const found = (await pool.query<Next>({ ...findNext, values: [last.position] })).rows;
        const { database, here, pruned } = found[0]!;
        if (last.database !== database || isLost({ ...last, number: last.position }, here, pruned)) {
          this.#sayAnew(last.database === database);
          this.#last = { database, position: 0, eventId: null };
          continue;
        }
        const next = found.flatMap(({ position, eventId }) => (position === null ? [] : [{ position, eventId }]));
        if (next.length === 0) break;
        const texts = await bodies(next);
        // An event that cannot be read keeps its place.
        const lines = next.map(
          ({ position }, index) =>
            `{"database":"${database}","position":${position},"event":${texts[index] ?? 'null'}}\n`,
        );
        await this.#append(lines.join(''));
        this.#last = { database, ...next.at(-1)! };
        count += next.length;
      }
      return count;
    } catch (error) {
      // What was written is read again.
      await this.close().catch(() => undefined);
      throw error;
    }
  }

  /** Ends a run between two batches. */
  stop(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = null;
    await handle?.close();
  }

  async #begin(): Promise<void> {
    const { file } = this.options;
    if (this.#handle !== null && !(await this.#isStill(file))) await this.close();
    if (this.#handle !== null) return;
    this.#handle = await open(file, 'a+', 0o600);
    const { end, last } = await readEnd(this.#handle);
    await this.#handle.truncate(end);
    this.#size = end;
    // A file that was rotated just before a kill leaves its position in the one before.
    this.#last = last ?? (await lastOf(`${file}.1`));
  }

  #sayAnew(isSameDatabase: boolean): void {
    const { pool, log, file } = this.options;
    if (isSameDatabase) sawGoBack(pool, log, 'event_log');
    log.warn(
      { file },
      'The event log was written from another database, or from this one before it went back to an earlier moment: every event is written again',
    );
  }

  /** False when somebody moved or removed the file. */
  async #isStill(file: string): Promise<boolean> {
    const [there, ours] = [await stat(file).catch(() => null), await this.#handle!.stat()];
    return there !== null && there.ino === ours.ino && there.size === this.#size;
  }

  async #append(text: string): Promise<void> {
    if (this.#size >= this.options.bytes) await this.#rotate();
    await this.#handle!.appendFile(text);
    await this.#handle!.datasync();
    this.#size += Buffer.byteLength(text);
  }

  async #rotate(): Promise<void> {
    const { file, kept = 5 } = this.options;
    for (let number = kept - 1; number > 0; number -= 1)
      await rename(`${file}.${number}`, `${file}.${number + 1}`).catch(ignoreMissing);
    await this.close();
    await rename(file, `${file}.1`);
    this.#handle = await open(file, 'a+', 0o600);
    this.#size = 0;
  }
}

interface Last {
  database: string;
  position: number;
  /** The event of that line; undefined when it could not be read. */
  eventId: string | null | undefined;
}

/** The length up to the end of the last whole line, and what that line says. */
async function readEnd(handle: FileHandle): Promise<{ end: number; last: Last | null }> {
  const { size } = await handle.stat();
  const start = Math.max(0, size - longestLine);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  const text = buffer.subarray(0, bytesRead);
  const newline = text.lastIndexOf(0x0a);
  if (newline === -1) return { end: 0, last: null };
  const begin = newline === 0 ? -1 : text.lastIndexOf(0x0a, newline - 1);
  const line = text.subarray(begin + 1, newline).toString('latin1');
  const [, database, position, id = ''] =
    /^\{"database":"([0-9a-f-]{36})","position":(\d+),(?:"event":\{"id":"(event_\w+)")?/.exec(line) ?? [];
  const eventId = decodeId(id)?.uuid;
  return {
    end: start + newline + 1,
    last: database === undefined ? null : { database, position: Number(position), eventId },
  };
}

async function lastOf(file: string): Promise<Last | null> {
  const handle = await open(file, 'r').catch(ignoreMissing);
  if (handle === undefined) return null;
  try {
    return (await readEnd(handle)).last;
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

/** Keeps the event log up to date until stopped. Logs a failure once, retries, and logs the recovery. */
export function startEventLog(options: EventLogOptions, everyMs = 1_000): { stop(): Promise<void> } {
  const { log, file } = options;
  const eventLog = new EventLog(options);
  let lastFailure: string | null = null;
  const background = repeat(0, async () => {
    try {
      await eventLog.catchUp();
      if (lastFailure !== null) log.info({ file }, 'The event log is up to date again');
      lastFailure = null;
    } catch (error) {
      observed('failure', options.pool, { part: 'event_log' });
      const reason = errorCode(error) ?? 'unknown';
      if (reason !== lastFailure)
        log.warn(
          { err: error, file },
          'Events could not be written to the event log: it will be tried again, and nothing else is affected',
        );
      lastFailure = reason;
    }
    return lastFailure === null ? everyMs : everyMs * 5;
  });
  return {
    async stop() {
      eventLog.stop();
      await background.stop();
      await eventLog.close();
    },
  };
}
