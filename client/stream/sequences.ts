/** A stream whose numbers should have been without gaps, and where they were not. */
export interface Gap {
  /** `inbox`, or the id of a Session. */
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

/** What the numbers of a subscription promise: those of an inbox and of whole Sessions have no gaps; those of a selection of events only grow. */
export type Promised = 'inbox' | 'sessions' | 'growing';

// A Session that was not heard of for so many others begins anew.
const remembered = 10_000;

/** Knows the last number of each stream that a subscription carries. */
export class Sequences {
  readonly #last = new Map<string, number>();
  #lastCursor: string | undefined;

  constructor(readonly promised: Promised) {}

  /** What an event is, next to those that were taken; changes nothing. */
  judge(event: Numbered): Judgement {
    const place = this.#placeOf(event);
    // Of no Session: the place in the whole order is all that it has.
    if (place === undefined) return { is: event.cursor === this.#lastCursor ? 'repeat' : 'next' };
    const last = this.#last.get(place.stream);
    if (last === undefined || place.number === last + 1) return { is: 'next' };
    if (place.number <= last) return { is: 'repeat' };
    return this.promised === 'growing' ? { is: 'next' } : { is: 'gap', stream: place.stream, expected: last + 1, received: place.number };
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

  /** After a hole that is known, any number may come. */
  forget(): void {
    this.#last.clear();
    this.#lastCursor = undefined;
  }

  #placeOf({ inboxSequence, sessionSequence, session }: Numbered): { stream: string; number: number } | undefined {
    if (this.promised === 'inbox') return inboxSequence == null ? undefined : { stream: 'inbox', number: inboxSequence };
    return session == null || sessionSequence == null ? undefined : { stream: session.id, number: sessionSequence };
  }
}
