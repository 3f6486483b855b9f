import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { warnOften } from '../../core/warnOften.ts';
import type { Logger } from '../../core/work.ts';

/** Values are written and read in blocks of about this size. */
const blockCharacters = 128 * 1024;
const cipher = 'aes-256-gcm';

interface Block {
  values: string[];
  characters: number;
}

export interface SpoolOptions {
  folder?: string;
  blocksInMemory?: number;
}

/** A value in a Spool. */
export class Kept<Value> {
  constructor(
    private readonly spool: Spool,
    private readonly block: number,
    private readonly nth: number,
  ) {}

  read(): Promise<Value> {
    return this.spool.read<Value>(this.block, this.nth);
  }
}

/**
 * Keeps JSON values: the last used blocks in memory, the others in a temporary file.
 *
 * An import keeps texts before they are redacted, because a secret may begin in one line and end in a later one. So the
 * file is encrypted with a key that is only in memory, and its name is removed before the first write: after a crash
 * the system frees it. Without room for the file, the values stay in memory.
 */
export class Spool {
  readonly #key = randomBytes(32);
  /** The blocks in memory, the least recently used first. */
  readonly #blocks = new Map<number, Block>();
  readonly #written = new Map<number, { at: number; bytes: number; tag: Buffer }>();
  #last = -1;
  #file: FileHandle | null = null;
  #end = 0;
  #takesNoMore = false;
  readonly #folder;
  readonly #blocksInMemory;

  constructor(
    private readonly log: Logger,
    { folder = tmpdir(), blocksInMemory = 8 }: SpoolOptions = {},
  ) {
    this.#folder = folder;
    this.#blocksInMemory = blocksInMemory;
  }

  /** Keeps a value, in memory until `settle`. */
  put<Value>(value: Value): Kept<Value> {
    const text = JSON.stringify(value);
    let block = this.#blocks.get(this.#last);
    // A block is written once: each has its own initialization vector.
    if (block === undefined || block.characters >= blockCharacters || this.#written.has(this.#last)) {
      block = { values: [], characters: 0 };
      this.#last += 1;
    }
    this.#use(this.#last, block);
    block.characters += text.length;
    return new Kept(this, this.#last, block.values.push(text) - 1);
  }

  /** Writes the least recently used blocks to the file. Call it after a few calls of `put`. */
  async settle(): Promise<void> {
    for (const [number, block] of this.#blocks) {
      if (this.#blocks.size <= this.#blocksInMemory) return;
      if (!this.#written.has(number) && !(await this.#write(number, block))) return;
      this.#blocks.delete(number);
    }
  }

  async read<Value>(number: number, nth: number): Promise<Value> {
    const block = this.#blocks.get(number) ?? (await this.#readBlock(number));
    this.#use(number, block);
    await this.settle();
    return JSON.parse(block.values[nth]!) as Value;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#blocks.clear();
  }

  #use(number: number, block: Block): void {
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
  }

  /** Returns false when there is no room for it. */
  async #write(number: number, { values }: Block): Promise<boolean> {
    if (this.#takesNoMore) return false;
    const encryption = createCipheriv(cipher, this.#key, vector(number));
    // JSON contains no line feed.
    const bytes = Buffer.concat([encryption.update(values.join('\n'), 'utf8'), encryption.final()]);
    try {
      this.#file ??= await openNameless(this.#folder);
      for (let done = 0; done < bytes.length;)
        done += (await this.#file.write(bytes, done, bytes.length - done, this.#end + done)).bytesWritten;
    } catch (error) {
      this.#takesNoMore = true;
      warnOften(this.log, { err: error }, 'An import stays in memory: the temporary folder (TMPDIR) takes no file');
      return false;
    }
    this.#written.set(number, { at: this.#end, bytes: bytes.length, tag: encryption.getAuthTag() });
    this.#end += bytes.length;
    return true;
  }

  async #readBlock(number: number): Promise<Block> {
    const { at, bytes, tag } = this.#written.get(number)!;
    const { buffer, bytesRead } = await this.#file!.read(Buffer.allocUnsafe(bytes), 0, bytes, at);
    const decryption = createDecipheriv(cipher, this.#key, vector(number)).setAuthTag(tag);
    const text = decryption.update(buffer.subarray(0, bytesRead), undefined, 'utf8') + decryption.final('utf8');
    return { values: text.split('\n'), characters: text.length };
  }
}

function vector(number: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(number);
  return bytes;
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, `baton-import-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}
