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

/** An upload may have 64 MB. */
const maxPartBytes = 32 * 1024 * 1024;
const newline = 0x0a;

export interface Part {
  at: number;
  /** Whole lines. */
  bytes: Buffer;
  to: number;
}

/** The next whole lines up to `end`; null without one. */
export function partAfter(input: Input, at: number, end: number): Part | null {
  const bytes = input.read(at, Math.min(end, at + maxPartBytes));
  const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1);
  return whole.length === 0 ? null : { at, bytes: whole, to: at + whole.length };
}
