import type { Client, CombinedError } from 'urql';
import { pipe, subscribe } from 'wonka';
import { graphql } from '../gql/gql.ts';
import type { LogPageQuery } from '../gql/graphql.ts';

/** The largest messages have 256 KB, and an answer has at most 10 MB. */
const pageSize = 25;
/** Calls that are read with their message. */
export const callsOfMessage = 50;

const LogPageDocument = graphql(`
  query LogPage($id: ID!, $size: Int!, $from: Int!, $calls: Int!) {
    session(id: $id) {
      id
      messages(last: $size, from: $from) {
        nodes {
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
        }
      }
    }
  }
`);

export type LogMessage = NonNullable<LogPageQuery['session']>['messages']['nodes'][number];
/** Undefined until its page is read; null when nobody may read it. */
export type Read = LogMessage | CombinedError | null | undefined;

interface Page {
  from: number;
  messages: ReadonlyMap<number, LogMessage> | undefined;
  error: CombinedError | undefined;
  listeners: Set<() => void>;
  stop: () => void;
}

/** Pages of a session's log, by the numbers of messages. Those on the screen are read, and stay as current as the cache; the others are kept. */
export class LogPages {
  readonly #pages = new Map<number, Page>();

  constructor(
    private readonly client: Client,
    private readonly sessionId: string,
    /** Number of the last message. */
    private newest: number,
  ) {}

  /** Reads the page of a message while somebody listens. */
  readonly watch = (number: number, listener: () => void): (() => void) => {
    const page = this.#pageOf(number);
    page.listeners.add(listener);
    if (page.listeners.size === 1) this.#read(page);
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
    this.newest = newest;
    for (const page of this.#pages.values()) {
      if (page.listeners.size > 0 && (page.messages === undefined || mayChange(page, page.messages, newest))) this.#ask(page);
    }
  }

  retry(number: number): void {
    this.#ask(this.#pageOf(number));
  }

  #pageOf(number: number): Page {
    const from = number - ((number - 1) % pageSize);
    const page = this.#pages.get(from) ?? { from, messages: undefined, error: undefined, listeners: new Set(), stop: () => undefined };
    this.#pages.set(from, page);
    return page;
  }

  #query({ from }: Page, requestPolicy: 'cache-first' | 'network-only') {
    return this.client.query(LogPageDocument, { id: this.sessionId, size: pageSize, from, calls: callsOfMessage }, { requestPolicy });
  }

  /** From the cache, which may have a page from before it was full. */
  #read(page: Page): void {
    let isFirst = true;
    const { unsubscribe } = pipe(
      this.#query(page, 'cache-first'),
      subscribe(({ data, error, operation }) => {
        if (data?.session) page.messages = new Map(data.session.messages.nodes.map((message) => [message.sequence, message]));
        page.error = data?.session ? undefined : error;
        for (const listener of page.listeners) listener();
        const isKept = isFirst && operation.context.meta?.cacheOutcome === 'hit';
        isFirst = false;
        if (isKept && page.messages !== undefined && mayChange(page, page.messages, this.newest)) this.#ask(page);
      }),
    );
    page.stop = unsubscribe;
  }

  /** Those who read the page already get the answer too. */
  #ask(page: Page): void {
    void this.#query(page, 'network-only').toPromise();
  }
}

function mayChange({ from }: Page, messages: ReadonlyMap<number, LogMessage>, newest: number): boolean {
  const last = Math.min(newest, from + pageSize - 1);
  // Calls may follow the newest message without a message of their own.
  return last === newest || !messages.has(last) || [...messages.values()].some(({ toolCalls }) => toolCalls.some(({ status }) => status === 'PENDING'));
}
