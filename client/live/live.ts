import type { SubscriptionForwarder } from 'urql';
import { connect, type Status, type StreamEvent, type Topic } from '../stream/index.ts';
import type { LiveEvent, Subscribe } from './events.ts';

/** The page's socket and its streams. */
export interface Live {
  /** For urql's subscriptions. */
  forward: SubscriptionForwarder;
  /** Calls back for each event of the page's stream, before the cache has it. */
  onEvent: Subscribe;
  /** For `useSyncExternalStore`. */
  onStatus: (listener: () => void) => () => void;
  status: () => Status;
  /** Resolves when the stream is first live. */
  ready: Promise<void>;
  /** The number of events so far. */
  count: () => number;
  /** Writes the events after the first `count` to the cache again; false when they are no longer kept. */
  replay: (count: number) => boolean;
  retryNow: () => void;
  /** Calls back when events may have been missed: everything shown must be read again. */
  onMissed: (listener: () => void) => () => void;
}

/** The number of events kept for running requests. */
const kept = 300;
/** Yields to rendering after this many milliseconds when catching up on many events. */
const sliceMs = 8;

type Event = StreamEvent<LiveEvent>;
type Sink = Parameters<ReturnType<SubscriptionForwarder>['subscribe']>[0];

export function createLive({ url, key }: { url: string; key: string | null }): Live {
  const connection = connect({ url, ...(key !== null && { key }), backoff: { baseMs: 300, capMs: 10_000 } });
  const eventListeners = new Set<(event: LiveEvent) => void>();
  const statusListeners = new Set<() => void>();
  const missedListeners = new Set<() => void>();
  let status: Status = { state: 'connecting' };
  let sink: Sink | undefined;
  let ownStream: { readonly cursor: string | undefined } | undefined;
  let recent: Event[] = [];
  let count = 0;
  let becomeReady: () => void;
  const ready = new Promise<void>((resolve) => (becomeReady = resolve));

  const setStatus = (next: Status): void => {
    status = next;
    for (const listener of statusListeners) listener();
  };
  const missed = (): void => {
    for (const listener of missedListeners) listener();
  };

  const forward: SubscriptionForwarder = ({ query, variables, operationName, extensions }) => ({
    subscribe(observer) {
      const topic = topicOf(operationName, variables);
      const own = topic.kind === 'handoffEvents';
      // A later stream starts at the page stream's cursor, so that changes since its session was read are not missed.
      const after = own ? undefined : ownStream?.cursor;
      const stream = connection.open<LiveEvent>({
        topic,
        document: query ?? '',
        ...(after !== undefined && { after }),
        ...(extensions && { extensions }),
        onExpired: missed,
        onGap: missed,
        ...(own && { onStatus: setStatus }),
      });
      if (own) {
        sink = observer;
        ownStream = stream;
        stream.ready.then(becomeReady, () => undefined);
      }
      void pump(stream, (event) => {
        if (own) {
          count += 1;
          recent = [...recent.slice(1 - kept), event];
          for (const listener of eventListeners) listener(event);
        }
        observer.next({ data: { [topic.kind]: event } });
      }).then(
        () => observer.complete(),
        // The stream ended for good: the requests that follow return the reason, and may ask for a key.
        missed,
      );
      return { unsubscribe: () => stream.stop() };
    },
  });

  return {
    forward,
    onEvent: (listener) => listen(eventListeners, listener),
    onStatus: (listener) => listen(statusListeners, listener),
    onMissed: (listener) => listen(missedListeners, listener),
    status: () => status,
    ready,
    count: () => count,
    replay(from) {
      const events = recent.slice(recent.length - (count - from));
      for (const event of events) sink?.next({ data: { handoffEvents: event } });
      return count - from <= recent.length;
    },
    retryNow: connection.retryNow,
  };
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function pump(stream: AsyncIterable<Event>, take: (event: Event) => void): Promise<void> {
  let began = performance.now();
  for await (const event of stream) {
    take(event);
    if (performance.now() - began < sliceMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  }
}

function topicOf(operationName: string | undefined, variables: Record<string, unknown> | undefined): Topic {
  if (operationName !== 'SessionLog') return { kind: 'handoffEvents' };
  return { kind: 'sessionUpdated', sessionIds: variables?.['sessionIds'] as string[] };
}
