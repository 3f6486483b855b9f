import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';

/** A line of a file. */
export interface Line {
  /** Null when the line is too long to read. */
  text: string | null;
  /** Number in the file, from 1. */
  number: number;
  hash(): string;
}

/** Longer lines are images and dumps: they are skipped without holding them in memory. */
export const maxLineCharacters = 8 * 1024 * 1024;

export const shortHash = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

export const isBlank = ({ text }: Line): boolean => text !== null && text.trim() === '';

/**
 * Yields the lines of a UTF-8 file as they arrive, in batches.
 * `onInvalid` is called with the number of the first line that is not UTF-8; without it U+FFFD replaces what is not.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array | string>,
  onInvalid?: (line: number) => never,
): AsyncGenerator<Line[]> {
  const decoder = new TextDecoder('utf-8', { fatal: onInvalid !== undefined });
  const splitter = new Splitter();
  let before: Uint8Array = new Uint8Array();
  const decoded = (bytes: Uint8Array, options: TextDecodeOptions): string => {
    try {
      return decoder.decode(bytes, options);
    } catch (error) {
      if (onInvalid === undefined) throw error;
      return onInvalid(splitter.line + linesBeforeInvalid(Buffer.concat([before, bytes])));
    }
  };
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? chunk : decoded(chunk, { stream: true });
    if (typeof chunk !== 'string') before = cutCharacter(chunk);
    yield splitter.push(text);
  }
  yield splitter.push(decoded(new Uint8Array(), {}));
  yield splitter.end();
}

const newline = 0x0a;

/** Whole lines before the first one that is not UTF-8. */
function linesBeforeInvalid(bytes: Buffer): number {
  let from = 0;
  for (let line = 0; ; line += 1) {
    const end = bytes.indexOf(newline, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}

/** The bytes of a character of which the rest comes in the next chunk. */
function cutCharacter(bytes: Uint8Array): Uint8Array {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const byte = bytes[bytes.length - length]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return isUtf8(bytes.subarray(-length)) ? new Uint8Array() : bytes.slice(-length);
  }
  return new Uint8Array();
}

/** A text in pieces, like the chunks of a file. */
export async function* piecesOf(text: string): AsyncGenerator<string> {
  const size = 64 * 1024;
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

class Splitter {
  /** Number of the line that is read. */
  line = 1;
  #parts: string[] = [];
  #length = 0;
  /** Hash of a line that is too long, whose beginning was dropped. */
  #hash: Hash | null = null;

  push(text: string): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', from)) {
      this.#append(text.slice(from, end));
      lines.push(this.#end());
      from = end + 1;
    }
    if (from < text.length) this.#append(text.slice(from));
    return lines;
  }

  /** The last line, when no line end follows it. */
  end(): Line[] {
    return this.#length === 0 ? [] : [this.#end()];
  }

  #append(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= maxLineCharacters) return;
    this.#hash ??= createHash('sha256');
    for (const known of this.#parts) this.#hash.update(known);
    this.#parts = [];
  }

  #end(): Line {
    const joined = this.#parts.join('');
    const hash = this.#hash;
    const number = this.line;
    this.#parts = [];
    this.#length = 0;
    this.#hash = null;
    this.line += 1;
    if (hash !== null) return { text: null, number, hash: () => hash.digest('base64url').slice(0, 22) };
    const text = number === 1 && joined.startsWith('\uFEFF') ? joined.slice(1) : joined;
    return { text, number, hash: () => shortHash(text.trim()) };
  }
}
