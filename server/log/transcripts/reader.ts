import type { Place } from './draft.ts';
import type { Fields } from './transcript.ts';

/** One format's way of reading: it is given every entry of a file in order. */
export interface Reader {
  knows(entry: Fields): boolean;
  typeOf(entry: Fields): unknown;
  /** What the file knows the line by; null when it has no id. */
  keyOf(entry: Fields): string | null;
  at(entry: Fields): Date | null;
  read(entry: Fields, place: Place): void;
  /** Called when the whole file was read. */
  end?(): void;
}
