import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A temporary file of this age was left by a process that died. */
const abandonedAfter = 10 * 60_000;
const temporary = /^\..*\.tmp$/;
const mark = '.caught-up';

/** The position in the order over all events of a database up to which all is written. */
export interface Mark {
  database: string;
  position: number;
  /** The event that has the position; null when it was pruned, undefined in a mark of an older version. */
  eventId: string | null | undefined;
}

/** A folder whose files are complete or absent. Never created: a missing folder may be a disk that is not mounted. */
export class ArchiveFolder {
  constructor(private readonly path: string) {}

  /** Writes a temporary file, syncs and renames it: readers see the old file or the new one. Only the owner may read it. */
  async write(name: string, text: string): Promise<void> {
    const draft = join(this.path, `.${name}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, join(this.path, name));
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Null without a mark, and for a mark of an older version. */
  async readMark(): Promise<Mark | null> {
    const text = await readFile(join(this.path, mark), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const [, database, position, eventId] = /^([0-9a-f-]{36}) (\d+)(?: ([0-9a-f-]{36}))?\n$/.exec(text) ?? [];
    return database === undefined ? null : { database, position: Number(position), eventId };
  }

  async writeMark({ database, position, eventId }: Mark): Promise<void> {
    await this.write(mark, `${database} ${position}${eventId == null ? '' : ` ${eventId}`}\n`);
  }

  /** Removes temporary files of processes that died. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (!temporary.test(name)) continue;
      const { mtimeMs } = await stat(join(this.path, name)).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > abandonedAfter) await rm(join(this.path, name), { force: true });
    }
  }
}
