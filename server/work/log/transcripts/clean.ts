const KB = 1024;
/** Limit of a message, and of the arguments or the result of a call. */
export const maxBytes = 256 * KB;
const maxDepth = 32;
/** Values in the arguments of a call; more are stored as text. */
const maxValues = 10_000;
const maxNameCharacters = 200;

// NUL and unpaired surrogates: PostgreSQL and UTF-8 cannot store them.
const unstorable = /\0|\p{Surrogate}/gu;

/** Makes the values of a transcript storable, and counts the changes. */
export class Cleaner {
  /** Characters replaced by U+FFFD. */
  replaced = 0;
  /** Texts and values that exceeded the limit of a field. */
  shortened = 0;
  /** Values that the arguments of a call may still have. */
  #left = 0;

  /** `unkept`: bytes after the value that were already dropped. */
  text(value: string, bytes = maxBytes, unkept = 0): string {
    // A UTF-16 unit takes at least one byte, and at most three.
    const beyond = value.length > bytes ? Buffer.byteLength(value.slice(bytes)) : 0;
    const text = this.#storable(beyond === 0 ? value : value.slice(0, bytes));
    if (text.length * 3 <= bytes && beyond + unkept === 0) return text;
    const all = Buffer.from(text);
    if (all.length <= bytes && beyond + unkept === 0) return text;
    this.shortened += 1;
    const mark = `\n[... ${Math.max(0, all.length - bytes) + beyond + unkept} bytes more were not kept]`;
    return all.subarray(0, wholeUntil(all, Math.min(all.length, bytes - mark.length - 16))).toString() + mark;
  }

  /** A name or an id: at most 200 characters, trimmed, never empty. */
  name(value: unknown, otherwise: string): string {
    if (typeof value !== 'string' || value.trim() === '') return otherwise;
    const name = this.#storable(value).trim();
    const characters = [...name.slice(0, 2 * maxNameCharacters)];
    return characters.length <= maxNameCharacters ? name : characters.slice(0, maxNameCharacters).join('');
  }

  json(value: unknown): unknown {
    this.#left = maxValues;
    const whole = this.#value(value, 0, Number.MAX_SAFE_INTEGER);
    if (whole === undefined || whole === null) return null;
    if (this.#left < 0) {
      this.shortened += 1;
      return this.text(JSON.stringify(value), maxBytes / 2);
    }
    if (jsonBytes(whole) <= maxBytes) return whole;
    this.shortened += 1;
    for (const limit of [64 * KB, 8 * KB, KB]) {
      this.#left = maxValues;
      const shorter = this.#value(whole, 0, limit);
      if (jsonBytes(shorter) <= maxBytes) return shorter;
    }
    return this.text(JSON.stringify(whole), maxBytes / 2);
  }

  #value(value: unknown, depth: number, longest: number): unknown {
    if (typeof value === 'string') {
      const text = this.#storable(value);
      return text.length <= longest ? text : `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}[...]`;
    }
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value !== 'object' || value === null) return value;
    this.#left -= Array.isArray(value) ? value.length : Object.keys(value).length;
    if (this.#left < 0) return null;
    if (depth >= maxDepth) {
      this.shortened += 1;
      return '[nested too deep]';
    }
    if (Array.isArray(value)) return value.map((part) => this.#value(part, depth + 1, longest));
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [this.#storable(key), this.#value(part, depth + 1, longest)]),
    );
  }

  #storable(text: string): string {
    if (text.search(unstorable) < 0) return text;
    return text.replace(unstorable, () => {
      this.replaced += 1;
      return '\uFFFD';
    });
  }
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The last position up to `end` that does not split a character. */
function wholeUntil(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at -= 1;
  return at;
}
