import { createHash, type Hash } from 'node:crypto';
import { Breaks } from '../../core/breaks.ts';

/** A line of a file; `text` is null when the line is too long to read. */
export interface Line {
  text: string | null;
  hash(): string;
}

/** Longer lines are images and dumps: they are skipped without holding them in memory. */
export const maxLineCharacters = 8 * 1024 * 1024;

export const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/**
 * Yields the lines of a UTF-8 file as they arrive, in batches, without blank ones. Frees the event loop at least every
 * few milliseconds.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder();
  const splitter = new Splitter();
  const breaks = new Breaks();
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    yield splitter.push(text);
    await breaks.rest();
  }
  yield splitter.push(`${decoder.decode()}\n`);
}

/** A text in pieces, like the chunks of a file. */
export async function* piecesOf(text: string): AsyncGenerator<string> {
  const size = 64 * 1024;
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

class Splitter {
  #parts: string[] = [];
  #length = 0;
  /** Hash of a line that is too long, whose beginning was dropped. */
  #hash: Hash | null = null;

  push(text: string): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', from)) {
      this.#append(text.slice(from, end));
      const line = this.#end();
      if (line !== null) lines.push(line);
      from = end + 1;
    }
    if (from < text.length) this.#append(text.slice(from));
    return lines;
  }

  #append(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= maxLineCharacters) return;
    this.#hash ??= createHash('sha256');
    for (const known of this.#parts) this.#hash.update(known);
    this.#parts = [];
  }

  #end(): Line | null {
    const text = this.#parts.join('');
    const hash = this.#hash;
    this.#parts = [];
    this.#length = 0;
    this.#hash = null;
    if (hash !== null) return { text: null, hash: () => hash.digest('base64url').slice(0, 22) };
    // `trim` also removes a byte order mark.
    const trimmed = text.trim();
    return trimmed === '' ? null : { text: trimmed, hash: () => shortHash(trimmed) };
  }
}
