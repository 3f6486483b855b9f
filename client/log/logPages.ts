import type { Client, CombinedError } from 'urql';
import { pipe, subscribe } from 'wonka';
import { graphql } from '../gql/gql.ts';
import type { LogMessageFragment } from '../gql/graphql.ts';
import { readFragment, type FragmentType } from '../gql/index.ts';

/** The largest messages have 256 KB, and an answer has at most 10 MB. */
export const pageSize = 25;
/** Calls that are read with their message. */
export const callsOfMessage = 50;

export const LogMessageFragmentDocument = graphql(`
  fragment LogMessage on Message {
    id
    sequence
    role
    ...LogEntry
    ...RoutedEntry
    toolCalls(first: $calls) {
      id
      status
      ...ToolCallLine
    }
    events {
      id
      ...LogEvent
    }
  }
`);

const LogPageDocument = graphql(`
  query LogPage($id: ID!, $size: Int!, $from: Int!, $calls: Int!) {
    session(id: $id) {
      id
      messages(last: $size, from: $from) {
        nodes {
          id
          ...LogMessage
        }
      }
    }
  }
`);

export type LogMessage = LogMessageFragment;
export type LogMessages = readonly FragmentType<typeof LogMessageFragmentDocument>[];
/** Undefined until its page is read; null when nobody may read it. */
export type Read = LogMessage | CombinedError | null | undefined;

interface Page {
  from: number;
  to: number;
  messages: ReadonlyMap<number, LogMessage> | undefined;
  error: CombinedError | undefined;
  listeners: Set<() => void>;
  /** All of its messages were given, not read. */
  isGiven: boolean;
  stop: () => void;
}

/**
 * Pages of a session's log, by the numbers of messages. Those on the screen are read, and stay as current as the cache; the others are kept.
 * A page ends with the message that is the last one at first: it comes with the session.
 */
export class LogPages {
  readonly #pages = new Map<number, Page>();
  readonly #end: number;

  constructor(
    private readonly client: Client,
    private readonly sessionId: string,
    /** Number of the last message. */
    private newest: number,
    given: LogMessages,
  ) {
    this.#end = newest;
    this.give(given);
  }

  /** Takes messages that were read elsewhere, in place of those known. */
  give(messages: LogMessages): void {
    const given = readFragment(LogMessageFragmentDocument, messages);
    for (const page of new Set(given.map(({ sequence }) => this.#pageOf(sequence)))) {
      if (page.messages !== undefined && !page.isGiven) continue;
      const ofPage = given.filter(({ sequence }) => sequence >= page.from && sequence <= page.to);
      const all = new Map([...(page.messages ?? []), ...ofPage.map((message) => [message.sequence, message] as const)]);
      if (all.size <= page.to - page.from) continue;
      page.messages = all;
      page.isGiven = true;
      for (const listener of page.listeners) listener();
    }
  }

  /** Reads the page of a message while somebody listens. */
  readonly watch = (number: number, listener: () => void): (() => void) => {
    const page = this.#pageOf(number);
    page.listeners.add(listener);
    if (page.listeners.size === 1 && !page.isGiven) this.#read(page, 'cache-first');
    return () => {
      page.listeners.delete(listener);
      if (page.listeners.size === 0) page.stop();
    };
  };

  at(number: number): Read {
    const { messages, error } = this.#pageOf(number);
    return messages === undefined ? error : (messages.get(number) ?? null);
  }

  /** Reads again what may have changed on the screen: failed and unfinished pages, now that the log ends at `newest`, and calls without an outcome. */
  again(newest: number): void {
    const before = this.newest;
    this.newest = newest;
    for (const page of this.#pages.values()) {
      if (page.messages !== undefined && !mayChange(page, page.messages, before, newest)) continue;
      if (page.listeners.size > 0) this.#ask(page);
      else page.isGiven = false;
    }
  }

  retry(number: number): void {
    this.#ask(this.#pageOf(number));
  }

  #pageOf(number: number): Page {
    const to = number + ((((this.#end - number) % pageSize) + pageSize) % pageSize);
    const page = this.#pages.get(to) ?? {
      from: Math.max(1, to - pageSize + 1),
      to,
      messages: undefined,
      error: undefined,
      listeners: new Set(),
      isGiven: false,
      stop: () => undefined,
    };
    this.#pages.set(to, page);
    return page;
  }

  #query({ from, to }: Page, requestPolicy: 'cache-first' | 'network-only') {
    return this.client.query(
      LogPageDocument,
      { id: this.sessionId, size: to - from + 1, from, calls: callsOfMessage },
      { requestPolicy },
    );
  }

  /** The cache may have a page from before it was full. */
  #read(page: Page, requestPolicy: 'cache-first' | 'network-only'): void {
    let isFirst = true;
    page.isGiven = false;
    const { unsubscribe } = pipe(
      this.#query(page, requestPolicy),
      subscribe(({ data, error, operation }) => {
        if (data?.session)
          page.messages = new Map(
            readFragment(LogMessageFragmentDocument, data.session.messages.nodes).map((message) => [
              message.sequence,
              message,
            ]),
          );
        page.error = data?.session ? undefined : error;
        for (const listener of page.listeners) listener();
        const isKept = isFirst && operation.context.meta?.cacheOutcome === 'hit';
        isFirst = false;
        if (isKept && page.messages !== undefined && mayChange(page, page.messages, this.newest, this.newest))
          this.#ask(page);
      }),
    );
    page.stop = unsubscribe;
  }

  /** Those who read the page already get the answer too. */
  #ask(page: Page): void {
    if (page.isGiven) this.#read(page, 'network-only');
    else void this.#query(page, 'network-only').toPromise();
  }
}

function mayChange(
  { from, to }: Page,
  messages: ReadonlyMap<number, LogMessage>,
  before: number,
  newest: number,
): boolean {
  const last = Math.min(newest, to);
  // Calls and events may follow the newest message without a message of their own, and they may be older than the next one.
  const isLast = from <= newest && before <= to;
  return (
    isLast ||
    !messages.has(last) ||
    [...messages.values()].some(({ toolCalls }) => toolCalls.some(({ status }) => status === 'PENDING'))
  );
}
