import type { Item } from './items.ts';

export interface Beginning {
  /** Id of the target's own session, a UUID. */
  id: string;
  title: string;
  /** Where the target works. */
  folder: string;
  at: Date;
  /** Public id of the Session. */
  session: string;
}

/** A program whose transcripts Baton writes. */
export interface Target {
  hasTool(name: string, given: unknown): boolean;
  /** Tokens of the log that the transcript has, unless the caller says otherwise. */
  defaultTokens: number;
  /** Begins a transcript. Lines come without their end. */
  begin(beginning: Beginning): { head: string; linesOf(item: Item): string[] };
}
