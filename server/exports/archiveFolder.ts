import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** No process still writes a temporary file of this age. */
const abandonedAfter = 10 * 60_000;
const temporary = /^\..*\.tmp$/;
const mark = '.caught-up';

/** Up to where everything is written: a position in the order over all events of a database. */
export interface Mark {
  database: string;
  position: number;
}

/** A folder of files that are there whole or not at all. It is never created: a folder that is missing may be a disk that is. */
export class ArchiveFolder {
  constructor(private readonly path: string) {}

  /** Writes a temporary file, syncs it and renames it: readers see the old file or the new one. Readable by the owner only. */
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

  /** Null when nothing is known, also when an older version wrote the mark. */
  async readMark(): Promise<Mark | null> {
    const text = await readFile(join(this.path, mark), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const [, database, position] = /^([0-9a-f-]{36}) (\d+)\n$/.exec(text) ?? [];
    return database === undefined ? null : { database, position: Number(position) };
  }

  async writeMark({ database, position }: Mark): Promise<void> {
    await this.write(mark, `${database} ${position}\n`);
  }

  /** Removes what a process left that died while it wrote. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (!temporary.test(name)) continue;
      const { mtimeMs } = await stat(join(this.path, name)).catch(() => ({ mtimeMs: Infinity }));
      if (Date.now() - mtimeMs > abandonedAfter) await rm(join(this.path, name), { force: true });
    }
  }
}
