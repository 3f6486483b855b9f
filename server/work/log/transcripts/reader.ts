import type { Place } from './draft.ts';
import type { Fields } from './transcript.ts';

/** Puts the lines of a plain text together to entries. */
export interface Blocks {
  take(line: string): Iterable<Fields>;
  end(): Iterable<Fields>;
}

/** Reads one format; receives every entry of a file in order. */
export interface Reader {
  knows(entry: Fields): boolean;
  typeOf(entry: Fields): unknown;
  /** Key of the line from an id in the file; null when it has none. */
  keyOf(entry: Fields): string | null;
  at(entry: Fields): Date | null;
  read(entry: Fields, place: Place): void;
  end?(): void;
}
