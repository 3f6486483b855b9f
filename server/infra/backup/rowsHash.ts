import { hash } from 'node:crypto';

const lineFeed = 10;

/** A hash of rows in any order, one row a line: the sum of the rows' SHA-256, word by word. */
export class RowsHash {
  rows = 0;
  readonly #sum = new Uint32Array(8);
  /** The beginning of a row whose end is in a later part. */
  #begun: Buffer[] = [];

  add(part: Buffer): void {
    let from = 0;
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, from)) {
      this.#addRow(part.subarray(from, end));
      from = end + 1;
    }
    if (from < part.length) this.#begun.push(part.subarray(from));
  }

  /** 64 hexadecimal digits. */
  get value(): string {
    return [...this.#sum].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  #addRow(end: Buffer): void {
    const row = this.#begun.length === 0 ? end : Buffer.concat([...this.#begun, end]);
    if (this.#begun.length > 0) this.#begun = [];
    const digest = hash('sha256', row, 'buffer');
    for (let word = 0; word < 8; word += 1) this.#sum[word]! += digest.readUInt32BE(word * 4);
    this.rows += 1;
  }
}
