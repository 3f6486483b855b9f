/** What moved: the order over all events to a position, an agent's inbox to a number, or a key that has ended. */
export type Hint =
  | { about: 'all'; number: number }
  | { about: 'inbox'; agentId: string; number: number }
  | { about: 'key'; keyId: string };

export interface DoorbellListener {
  /** A hint may be lost, repeated, late or made up: it says where to look, and nothing about what is there. */
  heard(hint: Hint): void;
  /** Hints may have been missed until now: look everywhere. */
  missed(): void;
}

/** Tells server processes that there is something new in the database, which alone says what it is. */
export interface Doorbell {
  /** After the commit. Returns at once and never throws: a hint that does not arrive costs time, and nothing else. */
  ring(hints: readonly Hint[]): void;
  /** Returns how to stop. */
  listen(listener: DoorbellListener): () => void;
  /** Whether there may be listeners in other processes. */
  readonly shared: boolean;
  /** Whether hints of all other processes arrive at present; if not, they are to be looked for in the database. */
  readonly hears: boolean;
  close(): Promise<void>;
}
