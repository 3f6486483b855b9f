import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Failed } from './request.ts';

/** A transcript as it is now. */
export class Input {
  readonly #fd;
  readonly size: number;

  /** @throws Failed */
  constructor(path: string) {
    try {
      this.#fd = openSync(path, 'r');
    } catch (error) {
      throw new Failed('NO_FILE', error instanceof Error ? error.message : String(error));
    }
    this.size = fstatSync(this.#fd).size;
  }

  read(from: number, to: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, from));
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** What arrived is not sent again, also when the next part takes too long. */
const partBytes = 4 * 1024 * 1024;
/** An upload may have 64 MB, with the earlier lines that a part needs. */
const maxPartBytes = 48 * 1024 * 1024;
const newline = 0x0a;

export interface Part {
  at: number;
  /** Whole lines. */
  bytes: Buffer;
  to: number;
}

/** The next whole lines up to `end`, at least one; null without one. */
export function partAfter(input: Input, at: number, end: number): Part | null {
  for (let most = partBytes; ; most *= 4) {
    const to = Math.min(end, at + Math.min(most, maxPartBytes));
    const bytes = input.read(at, to);
    const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1);
    if (whole.length > 0) return { at, bytes: whole, to: at + whole.length };
    if (to === end || most >= maxPartBytes) return null;
  }
}
