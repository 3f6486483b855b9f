import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { pipeline, type Readable } from 'node:stream';
import { z } from 'zod';
import { StartError } from '../../core/startError.ts';

/*
 * The format of a back-up, compressed by gzip: a line of JSON (`Header`); for each table a line of JSON (`TableShape`), its rows in the text
 * format of COPY, and a line `\.`; a line of JSON (`Summary`); a line with the SHA-256 of everything before it. It is written and read in
 * constant memory.
 */
export const formatVersion = 1;
const endOfRows = '\\.\n';

const headerShape = z.object({
  format: z.literal('baton-backup'),
  version: z.number(),
  /** Version of Baton that wrote the file. */
  baton: z.string(),
  postgres: z.string(),
  takenAt: z.iso.datetime(),
  /** The migrations of the database, in order. */
  migrations: z.array(z.string()),
});
export type Header = z.infer<typeof headerShape>;

const tableShape = z.object({ name: z.string(), columns: z.array(z.string()) });
export type FileTable = z.infer<typeof tableShape>;

const totalsShape = z.object({ rows: z.number(), hash: z.string() });
/** Rows of a table and their hash. */
export type Totals = z.infer<typeof totalsShape>;

const summaryShape = z.object({
  tables: z.record(z.string(), totalsShape),
  /** The last value of each sequence that was used. */
  sequences: z.record(z.string(), z.string()),
});
export type Summary = z.infer<typeof summaryShape>;

/** A table with its rows, in parts of any size. */
export interface Copy {
  table: FileTable;
  rows: AsyncIterable<Buffer>;
}

/** The content of a file, before it is compressed. `summary` is called when all rows are written. */
export async function* contentOf(
  header: Header,
  copies: AsyncIterable<Copy>,
  summary: () => Promise<Summary>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (part: Buffer | string): Buffer => {
    const bytes = Buffer.from(part as string);
    hash.update(bytes);
    return bytes;
  };
  yield hashed(line(header));
  for await (const { table, rows } of copies) {
    yield hashed(line(table));
    for await (const part of rows) yield hashed(part);
    yield hashed(endOfRows);
  }
  yield hashed(line(await summary()));
  yield Buffer.from(`${hash.digest('hex')}\n`);
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

export interface Contents {
  header: Header;
  /** To be read in order, each with all of its rows. */
  copies: AsyncIterable<Copy>;
  /** What the end of the file says, after all copies. Checks that the file is whole. */
  summary(): Promise<Summary>;
}

/** Reads a back-up. @throws StartError when the file cannot be read, is no back-up, is damaged, or has a newer format */
export async function readBackup<T>(path: string, work: (contents: Contents) => Promise<T>): Promise<T> {
  const announced = await announcedBytes(path);
  const content = pipeline(
    createReadStream(path, { highWaterMark: 256 * 1024 }),
    createGunzip({ chunkSize: 256 * 1024 }),
    () => undefined,
  );
  const text = new Text(content, path);
  try {
    const header = headerOf(await text.line(), path);
    return await work({ header, copies: copiesOf(text), summary: async () => summaryOf(text, announced) });
  } finally {
    content.destroy();
  }
}

/** The bytes of the content as the end of the file says (gzip's ISIZE): anything that follows that end changes them. */
async function announcedBytes(path: string): Promise<number> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`Cannot read ${path} (${error.code})`);
  });
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(4);
    await file.read(end, 0, end.length, Math.max(0, size - end.length));
    return end.readUInt32LE();
  } finally {
    await file.close();
  }
}

function headerOf(text: string, path: string): Header {
  const header = parsed(headerShape, text);
  if (header === undefined) throw new StartError(`${path} is not a back-up of Baton`);
  if (header.version > formatVersion)
    throw new StartError(
      `${path} was written by Baton ${header.baton}, in a newer format than this version reads: use that version`,
    );
  return header;
}

async function* copiesOf(text: Text): AsyncGenerator<Copy> {
  for (;;) {
    const table = parsed(tableShape, await text.peekLine());
    if (table === undefined) return;
    await text.line();
    yield { table, rows: text.rows() };
  }
}

async function summaryOf(text: Text, announced: number): Promise<Summary> {
  const summary = parsed(summaryShape, await text.line()) ?? text.damaged();
  const hash = text.hash;
  if ((await text.line()) !== hash || !(await text.hasEnded()) || text.bytes % 2 ** 32 !== announced) text.damaged();
  return summary;
}

function parsed<T>(shape: z.ZodType<T>, text: string): T | undefined {
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A header with the names of all migrations has a few KB. */
const longestLine = 1024 * 1024;

/** Lines and rows from a stream of parts. */
class Text {
  /** Taken so far. */
  bytes = 0;
  readonly #hash: Hash = createHash('sha256');
  #ready: Buffer = Buffer.alloc(0);
  readonly #parts: AsyncIterator<Buffer>;

  constructor(
    content: Readable,
    private readonly path: string,
  ) {
    this.#parts = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Of everything that was taken so far. */
  get hash(): string {
    return this.#hash.copy().digest('hex');
  }

  damaged(): never {
    throw new StartError(
      this.bytes === 0
        ? `${this.path} is not a back-up of Baton, or is damaged`
        : `${this.path} is damaged or not complete: use another back-up`,
    );
  }

  /** The next line without its end. */
  async line(): Promise<string> {
    const text = await this.peekLine();
    this.#take(this.#ready.indexOf('\n') + 1);
    return text;
  }

  async peekLine(): Promise<string> {
    for (;;) {
      const end = this.#ready.indexOf('\n');
      if (end >= 0) return this.#ready.toString('utf8', 0, end);
      if (this.#ready.length > longestLine || !(await this.#more())) this.damaged();
    }
  }

  /** Everything up to the end of the rows, which is taken too. The end is a line of its own, which no row is: COPY doubles a backslash. */
  async *rows(): AsyncGenerator<Buffer> {
    const end = `\n${endOfRows}`;
    while (this.#ready.length < endOfRows.length) if (!(await this.#more())) this.damaged();
    if (this.#ready.toString('latin1', 0, endOfRows.length) !== endOfRows) {
      for (;;) {
        const at = this.#ready.indexOf(end);
        if (at >= 0) {
          yield this.#take(at + 1);
          break;
        }
        const safe = this.#ready.length - end.length + 1;
        if (safe > 0) yield this.#take(safe);
        if (!(await this.#more())) this.damaged();
      }
    }
    this.#take(endOfRows.length);
  }

  async hasEnded(): Promise<boolean> {
    return this.#ready.length === 0 && !(await this.#more());
  }

  #take(length: number): Buffer {
    const part = this.#ready.subarray(0, length);
    this.#ready = this.#ready.subarray(length);
    this.#hash.update(part);
    this.bytes += length;
    return part;
  }

  async #more(): Promise<boolean> {
    const next = await this.#parts.next().catch((error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('Z_')) this.damaged();
      throw error;
    });
    if (next.done === true) return false;
    this.#ready = this.#ready.length === 0 ? next.value : Buffer.concat([this.#ready, next.value]);
    return true;
  }
}
