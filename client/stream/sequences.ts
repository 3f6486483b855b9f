/** Missing numbers in a stream without gaps. */
export interface Gap {
  /** `inbox`, or a Session's id. */
  stream: string;
  expected: number;
  received: number;
}

export type Judgement = { is: 'next' } | { is: 'repeat' } | ({ is: 'gap' } & Gap);

export interface Numbered {
  cursor: string;
  sessionSequence?: number | null;
  inboxSequence?: number | null;
  session?: { id: string } | null;
}

/** The guarantee of a subscription's numbers: an inbox and whole Sessions have no gaps; a selection of events only grows. */
export type Promised = 'inbox' | 'sessions' | 'growing';

// A Session without events for this many other Sessions starts anew.
const remembered = 10_000;

/** Tracks the last number of each stream in a subscription. */
export class Sequences {
  readonly #last = new Map<string, number>();
  #lastCursor: string | undefined;

  constructor(readonly promised: Promised) {}

  /** Compares an event with the ones taken so far; changes nothing. */
  judge(event: Numbered): Judgement {
    const place = this.#placeOf(event);
    // Without a Session it has only its position in the global order.
    if (place === undefined) return { is: event.cursor === this.#lastCursor ? 'repeat' : 'next' };
    const last = this.#last.get(place.stream);
    if (last === undefined || place.number === last + 1) return { is: 'next' };
    if (place.number <= last) return { is: 'repeat' };
    return this.promised === 'growing'
      ? { is: 'next' }
      : { is: 'gap', stream: place.stream, expected: last + 1, received: place.number };
  }

  take(event: Numbered): void {
    this.#lastCursor = event.cursor;
    const place = this.#placeOf(event);
    if (place === undefined) return;
    this.#last.delete(place.stream);
    this.#last.set(place.stream, place.number);
    if (this.#last.size <= remembered) return;
    for (const oldest of this.#last.keys()) {
      this.#last.delete(oldest);
      return;
    }
  }

  /** After a known gap any number may follow. */
  forget(): void {
    this.#last.clear();
    this.#lastCursor = undefined;
  }

  #placeOf({ inboxSequence, sessionSequence, session }: Numbered): { stream: string; number: number } | undefined {
    if (this.promised === 'inbox')
      return inboxSequence == null ? undefined : { stream: 'inbox', number: inboxSequence };
    return session == null || sessionSequence == null ? undefined : { stream: session.id, number: sessionSequence };
  }
}
