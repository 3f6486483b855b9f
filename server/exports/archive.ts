import { GraphQLError } from 'graphql';
import type { Pool } from 'pg';
import { statement } from '../core/changes.ts';
import { errorCode } from '../core/databaseErrors.ts';
import { encodeId } from '../core/ids.ts';
import type { Logger } from '../core/work.ts';
import { ArchiveFolder } from './archiveFolder.ts';
import type { Records } from './records.ts';

export interface ArchiveOptions {
  folder: string;
  pool: Pool;
  /** Asks as one who may see every Handoff. */
  records: Records;
  maskError: (error: unknown) => Error;
  log: Logger;
}

const batch = 100;
/** A change has its time before it is committed; by so much later it is committed, or its transaction was given up. */
const settlesWithin = 60_000;
/** The mark moves in steps: what is between is looked at again after a restart, and no more. */
const markStep = 10_000;

// A Session is never older than what changed in it, and there is an index on that.
const findChanged = statement(`
SELECT h.id, greatest(h.initiated_at, h.accepted_at, h.completed_at, h.closed_at) AS changed, clock_timestamp() AS now
FROM sessions s JOIN handoffs h ON h.session_id = s.id
WHERE s.updated_at >= $1 AND (greatest(h.initiated_at, h.accepted_at, h.completed_at, h.closed_at), h.id) > ($1, $2::uuid)
ORDER BY changed, h.id LIMIT ${batch}`);

interface Changed {
  id: string;
  changed: Date;
  now: Date;
}

const beforeAny = '00000000-0000-0000-0000-000000000000';

/**
 * Writes every Handoff that has changed into a folder, as Markdown and JSON. It reads the database alone, after the
 * commit, so it can neither delay nor fail a mutation, and what it missed while it was down it finds by itself: a mark
 * in the folder says up to when everything is written. Any number of processes may write into the same folder.
 */
export class Archive {
  readonly #folder: ArchiveFolder;
  /** What was written since the mark, and as of which change. */
  readonly #written = new Map<string, number>();
  #mark: Date | null = null;
  #stopped = false;

  constructor(private readonly options: ArchiveOptions) {
    this.#folder = new ArchiveFolder(options.folder);
  }

  /** Writes what is missing, oldest change first. Rejects when the folder or the database fails; then the next call goes on from there. */
  async catchUp(): Promise<number> {
    const { pool } = this.options;
    // Read anew each time: with another folder, or an emptied one, everything is missing again.
    const since = (await this.#folder.readMark()) ?? new Date(0);
    if (this.#mark === null || since.getTime() < this.#mark.getTime()) {
      await this.#folder.tidy();
      this.#written.clear();
    }
    this.#mark = since;
    let count = 0;
    let [from, afterId] = [since, beforeAny];
    for (;;) {
      const { rows } = await pool.query<Changed>({ ...findChanged, values: [from, afterId] });
      for (const { id, changed } of rows) {
        if (this.#stopped) return count;
        if (this.#written.get(id) === changed.getTime()) continue;
        if (await this.#write(encodeId('handoff', id))) count += 1;
        this.#written.set(id, changed.getTime());
      }
      const last = rows.at(-1);
      if (last === undefined) return count;
      await this.#markUpTo(new Date(Math.min(last.changed.getTime(), last.now.getTime() - settlesWithin)));
      if (rows.length < batch) return count;
      [from, afterId] = [last.changed, last.id];
    }
  }

  /** Ends a run between two Handoffs: the next one, of this process or another, goes on from there. */
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
      // One that cannot be rendered must not keep the others from being written.
      log.error({ err: masked, handoff: id }, 'A handoff could not be rendered for the archive');
      return false;
    }
    const [markdown, json] = forms;
    if (markdown === null || json === null) return false;
    await this.#folder.write(`${id}.md`, markdown);
    await this.#folder.write(`${id}.json`, json);
    return true;
  }

  async #markUpTo(at: Date): Promise<void> {
    if (at.getTime() < (this.#mark?.getTime() ?? 0) + markStep) return;
    await this.#folder.writeMark(at);
    this.#mark = at;
    for (const [id, changed] of this.#written) if (changed < at.getTime()) this.#written.delete(id);
  }
}

/** Keeps the archive up to date until stopped. What fails is said once, tried again, and said when it works again. */
export function startArchiving(options: ArchiveOptions, everyMs = 1_000): { stop(): Promise<void> } {
  const archive = new Archive(options);
  const { log, folder } = options;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  let stopped = false;
  let complaint: string | null = null;
  const run = async (): Promise<void> => {
    try {
      await archive.catchUp();
      if (complaint !== null) log.info({ folder }, 'The archive is up to date again');
      complaint = null;
    } catch (error) {
      const reason = errorCode(error) ?? 'unknown';
      if (reason !== complaint) log.warn({ err: error, folder }, 'Handoffs could not be written to the archive: it will be tried again, and nothing else is affected');
      complaint = reason;
    }
    if (!stopped) schedule(complaint === null ? everyMs : everyMs * 5);
  };
  const schedule = (inMs: number): void => {
    timer = setTimeout(() => {
      running = run();
    }, inMs);
    timer.unref();
  };
  schedule(0);
  return {
    async stop() {
      stopped = true;
      archive.stop();
      clearTimeout(timer);
      await running;
    },
  };
}
