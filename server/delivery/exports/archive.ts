import { resolve } from 'node:path';
import { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { statement } from '../../core/changes.ts';
import { errorCode } from '../../core/databaseErrors.ts';
import { isLost, sawGoBack } from '../../core/history.ts';
import { encodeId } from '../../core/ids.ts';
import { observed } from '../../core/observed.ts';
import { repeat } from '../../core/repeat.ts';
import type { Logger } from '../../core/work.ts';
import { ArchiveFolder, type Mark } from './archiveFolder.ts';
import { Follower } from './follower.ts';
import type { Records } from './records.ts';

export interface ArchiveOptions {
  folder: string;
  pool: Pool;
  /** Resolves when every event that was committed before the call has its position in the order over all events. */
  positioned: () => Promise<void>;
  /** Reads as a caller that may see every Handoff. */
  records: Records;
  maskError: (error: unknown) => Error;
  log: Logger;
}

/** Events per statement. */
const batch = 250;

const findHead = statement(`SELECT (SELECT id FROM database_identity) AS database,
  EXISTS (SELECT FROM unpositioned_events) AS waiting`);

// The columns from `database` to `pruned` tell in the same snapshot whether position $1 is the one that was written.
const findChanged =
  statement(`WITH next AS MATERIALIZED (SELECT position, event_id FROM event_positions WHERE position > $1 ORDER BY position LIMIT ${batch})
SELECT (SELECT id FROM database_identity) AS database, (SELECT event_id FROM event_positions WHERE position = $1) AS here, (SELECT position FROM pruning)::float8 AS pruned,
  (SELECT max(position)::float8 FROM next) AS reached, (SELECT event_id FROM next ORDER BY position DESC LIMIT 1) AS "reachedId",
  ARRAY(SELECT e.handoff_id FROM next n JOIN events e ON e.id = n.event_id WHERE e.handoff_id IS NOT NULL GROUP BY e.handoff_id ORDER BY min(n.position)) AS handoffs`);

interface Changed {
  database: string;
  here: string | null;
  pruned: number;
  /** The last position of these events, and the event that has it; null without one. */
  reached: number | null;
  reachedId: string | null;
  handoffs: string[];
}

/**
 * Writes every changed Handoff into a folder, as Markdown and JSON. Reads only the database, after the commit, so it
 * can neither delay nor fail a mutation. Follows the positions of events, which are assigned in order after the
 * commit, so no clock can make it skip one. A mark in the folder states the position up to which all is written.
 * Several processes may write into the same folder.
 */
export class Archive {
  readonly #folder: ArchiveFolder;
  readonly #follower: Follower;
  #begun = false;
  #stopped = false;

  constructor(private readonly options: ArchiveOptions) {
    this.#folder = new ArchiveFolder(options.folder);
    this.#follower = new Follower(options.pool, 'archive', resolve(options.folder));
  }

  /** Writes the missing Handoffs, oldest change first, and returns their number. Rejects when the folder or the database fails; the next call continues there. */
  async catchUp(): Promise<number> {
    const { pool } = this.options;
    let mark = await this.#begin();
    let count = 0;
    while (!this.#stopped) {
      await this.#follower.at(mark.position);
      const { rows } = await pool.query<Changed>({ ...findChanged, values: [mark.position] });
      const { database, here, pruned, reached, reachedId, handoffs } = rows[0]!;
      if (mark.database !== database || isLost({ ...mark, number: mark.position }, here, pruned)) {
        this.#sayAnew(mark.database === database);
        mark = { database, position: 0, eventId: null };
        continue;
      }
      if (reached === null) break;
      for (const id of handoffs) {
        if (this.#stopped) return count;
        if (await this.#write(encodeId('handoff', id))) count += 1;
      }
      // This may move the mark back behind that of another process; then the changes between are written again. Necessary:
      // a file that this process rendered before a change must not replace one that the other rendered after it.
      mark = { database, position: reached, eventId: reachedId };
      await this.#folder.writeMark(mark);
    }
    return count;
  }

  /** Returns the position up to which all is written. */
  async #begin(): Promise<Mark> {
    const { pool, positioned } = this.options;
    // Read on every run: the folder may have been replaced or emptied.
    const mark = await this.#folder.readMark();
    if (mark === null || !this.#begun) await this.#folder.tidy();
    this.#begun = true;
    const { rows } = await pool.query<{ database: string; waiting: boolean }>({ ...findHead });
    const { database, waiting } = rows[0]!;
    if (waiting) await positioned();
    return mark ?? { database, position: 0, eventId: null };
  }

  #sayAnew(isSameDatabase: boolean): void {
    const { pool, log, folder } = this.options;
    if (isSameDatabase) sawGoBack(pool, log, 'archive');
    log.warn(
      { folder },
      'The archive was written from another database, or from this one before it went back to an earlier moment: every handoff is written again',
    );
  }

  /** Ends a run between two Handoffs; the next run, of any process, continues there. */
  stop(): void {
    this.#stopped = true;
  }

  async #write(id: string): Promise<boolean> {
    const { records, log, maskError } = this.options;
    let forms: [string | null, string | null];
    try {
      forms = [await records.handoffMarkdown(id), await records.handoffJson(id, { links: false })];
    } catch (error) {
      const masked = maskError(error);
      if (masked instanceof GraphQLError && masked.extensions['code'] === 'UNAVAILABLE') throw masked;
      observed('failure', this.options.pool, { part: 'archive' });
      // A Handoff that cannot be rendered must not block the others.
      log.error(
        { err: masked, handoff: id },
        'A handoff could not be rendered for the archive: it is left out until it changes',
      );
      return false;
    }
    const [markdown, json] = forms;
    if (markdown === null || json === null) return false;
    await this.#folder.write(`${id}.md`, markdown);
    await this.#folder.write(`${id}.json`, json);
    return true;
  }
}

/** Keeps the archive up to date until stopped. Logs a failure once, retries, and logs the recovery. */
export function startArchiving(options: ArchiveOptions, everyMs = 1_000): { stop(): Promise<void> } {
  const archive = new Archive(options);
  const { log, folder } = options;
  let lastFailure: string | null = null;
  const background = repeat(0, async () => {
    try {
      await archive.catchUp();
      if (lastFailure !== null) log.info({ folder }, 'The archive is up to date again');
      lastFailure = null;
    } catch (error) {
      observed('failure', options.pool, { part: 'archive' });
      const reason = errorCode(error) ?? 'unknown';
      if (reason !== lastFailure)
        log.warn(
          { err: error, folder },
          'Handoffs could not be written to the archive: it will be tried again, and nothing else is affected',
        );
      lastFailure = reason;
    }
    return lastFailure === null ? everyMs : everyMs * 5;
  });
  return {
    stop() {
      archive.stop();
      return background.stop();
    },
  };
}
